import { AppError } from '#shared/errors.ts'
import { fillPath } from '#shared/fill-path.ts'
import { paths } from '#shared/pages/pages.ts'
import { carriesContributorSession } from '#worker/access/contributor-sessions.ts'
import { limitWrongInvites } from '#worker/access/memorial-access.ts'
import { publicConfig } from '#worker/features/config/config.routes.ts'
import { pageHead } from '#worker/features/previews/page-head.ts'
import type { Address } from '#worker/features/views/who-opens.ts'
import { carriesSession } from '#worker/http/cookies.ts'
import { NEVER_CACHED, pageCsp, withSecurityHeaders } from '#worker/http/headers.ts'
import { prefersDataSaver } from '#worker/http/page-request.ts'
import { fillDocument, oncePerDeployment } from '#worker/pages/written-document.ts'
import { ipOf, type Ctx } from '#worker/platform/ctx.ts'
import type { Env } from '#worker/platform/env.ts'
import { escapeHtml } from '#worker/platform/escape.ts'

/**
 * Says why a browser may not see a memorial, in the words of the app. Null for a browser with a session of a user or of this
 * memorial, live or not: the app knows what else to do. The status is the one of the app's document, which shows the same.
 */
export async function refusedPage(
  ctx: Ctx,
  request: Request,
  { id, inviteToken }: Address,
  refusal: AppError,
): Promise<Response | null> {
  if (carriesSession(request)) return null
  if (id !== null && carriesContributorSession(request, id)) return null
  const isWrongInvite =
    id === null ? refusal.code === 'not_found' : inviteToken !== null && refusal.code === 'invitation_needed'
  const error = (isWrongInvite && (await refuseGuess(ctx, request))) || refusal
  const token = id === null ? inviteToken : null
  const page = {
    error,
    token,
    hasInvite: inviteToken !== null,
    isDataSaver: prefersDataSaver(request),
    // A dead invitation looks like one that never was: its page doesn't hold the memorial's id.
    askId: error.canAsk && inviteToken === null ? id : null,
  }
  const { html, styleHashes } = await writeOnce(ctx.env, page)
  const headers = new Headers(NEVER_CACHED)
  headers.set('Content-Security-Policy', pageCsp(new URL(request.url), ctx.env, styleHashes))
  if (error.retryAfterSec !== undefined) headers.set('Retry-After', String(error.retryAfterSec))
  const status = error.code === 'too_many_requests' ? error.status : 200
  return withSecurityHeaders(new Response(html, { status, headers }), request, ctx.env)
}

/** Counts a wrong invitation as the API's calls do; the refusal if there were too many. */
async function refuseGuess(ctx: Ctx, request: Request): Promise<AppError | null> {
  try {
    await limitWrongInvites({ env: ctx.env, ip: ipOf(request) })
    return null
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}

/** `askId`: of the memorial whose family lets people ask to be let in. */
type RefusedPage = {
  error: AppError
  token: string | null
  hasInvite: boolean
  isDataSaver: boolean
  askId: string | null
}
type Written = Awaited<ReturnType<typeof fillDocument>>

/** The page says nothing about the memorial or who asks, so all get the same, except where it offers to try a link again. */
function writeOnce(env: Env, page: RefusedPage): Promise<Written> {
  const { error, token, hasInvite, isDataSaver, askId } = page
  if (error.code === 'too_many_requests' || askId !== null) return write(env, page)
  const key = ['refused', error.code, token === null ? 'memorial' : 'invitation', hasInvite, isDataSaver]
  return oncePerDeployment(env, key.join(' '), () => write(env, page))
}

async function write(
  env: Env,
  { error, token, hasInvite, isDataSaver, askId }: RefusedPage,
): Promise<Written> {
  const origin = env.PUBLIC_ORIGIN
  // Loaded on demand, so that API calls don't load React and the app's components.
  const { renderRefused, REFUSED_PAGE } = await import('#client/public-page/render-refused.tsx')
  const { html, data } = renderRefused({
    error,
    inviteToken: token,
    askPath: askId === null ? null : fillPath(paths.askIn, { id: askId }),
    origin,
    config: publicConfig(env),
    isDataSaver,
  })
  const address = new URL(hasInvite ? paths.invite : paths.memorial, origin)
  const content = {
    head: pageHead({ view: null, url: address, origin }),
    body: `${REFUSED_PAGE}="${escapeHtml(JSON.stringify(data))}">${html}</div>`,
    styles: '',
  }
  return fillDocument(env, 'refused.html', content, isDataSaver ? 'withoutFonts' : 'full')
}
