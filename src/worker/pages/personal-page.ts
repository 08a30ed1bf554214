import type { PersonalData, PostedForm } from '#client/public-page/render-personal.tsx'
import { isStandIn } from '#worker/features/invites/invitations.ts'
import { publicConfig } from '#worker/features/config/config.routes.ts'
import { turnsAround } from '#worker/features/funeral/turns.ts'
import { readStoryTree } from '#worker/features/memorials/life-story.ts'
import { previewGathering } from '#worker/features/previews/card-gatherings.ts'
import { invitationHead, pageHead } from '#worker/features/previews/page-head.ts'
import { openMemorial, type OpenedMemorial } from '#worker/features/views/opened-memorial.ts'
import type { Address } from '#worker/features/views/who-opens.ts'
import { NEVER_CACHED, pageCsp, withSecurityHeaders } from '#worker/http/headers.ts'
import { prefersDataSaver } from '#worker/http/page-request.ts'
import { pinPage } from '#worker/pages/pin-page.ts'
import { refusedPage } from '#worker/pages/refused-page.ts'
import { withoutOwnParts } from '#worker/pages/shared-page.ts'
import { renderedPages } from '#worker/pages/rendered-pages.ts'
import { fillDocument, turnAttributes } from '#worker/pages/written-document.ts'
import { sha256Base64 } from '#worker/platform/bytes.ts'
import { createCtx } from '#worker/platform/ctx.ts'
import type { Env } from '#worker/platform/env.ts'
import { escapeHtml, escapeJson } from '#worker/platform/escape.ts'
import { AppError } from '#shared/errors.ts'
import { fillPath } from '#shared/fill-path.ts'
import { documentTitle, memorialTitle } from '#shared/pages/page-titles.ts'
import { paths } from '#shared/pages/pages.ts'
import type { MemorialView } from '#shared/memorials/memorials.ts'
import type { Added } from '#shared/messages.ts'
import { takeAdded } from '#shared/pages/plain-forms.ts'

const BY_ID = /^\/memorial\/(mem_[a-z0-9]+)\/?$/u
const BY_INVITATION = /^\/invite\/([\w-]+)\/?$/u

/** Without script, what only a script can do is hidden. */
const WITHOUT_SCRIPT =
  '.needs-script{display:none !important}@media(scripting:none){button[type=button]{display:none !important}}'

/** `dataTag`: begins what the page brings for the app. */
type Rendered = { html: string; styleHashes: string[]; dataTag: string; turnsAt: number | null }
/** By everything that the page shows: all guests of one link share one, and nobody gets another's (docs/decisions/0061). */
const findOrRender = renderedPages<Rendered>()

/** The memorial at a page's address, by its id, an invitation or both; null at any other page. */
export function addressIn(url: URL): Address | null {
  const id = BY_ID.exec(url.pathname)?.[1] ?? null
  const token = BY_INVITATION.exec(url.pathname)?.[1] ?? null
  if (id === null && token === null) return null
  return { id, inviteToken: token ?? url.searchParams.get('invite') }
}

/** What a form without script has brought. `posted`: the form if it was refused. */
type Answered = { posted: PostedForm | null; added: readonly Added[]; status: number }

/** `/memorial/:id` and `/invite/:token` as {@link writePersonalPage} writes it; null for any other request. */
export async function personalPage(
  request: Request,
  env: Env,
  execution: ExecutionContext,
): Promise<Response | null> {
  if (request.method !== 'GET') return null
  const added = takeAdded(new URL(request.url).searchParams)
  return writePersonalPage(request, env, execution, { posted: null, added, status: 200 })
}

/**
 * The page of a memorial, written for the browser that asks, by the rules of the API: the memorial, or why it may not see it. Null
 * where only the app knows what to show. Never cached outside this isolate.
 */
export async function writePersonalPage(
  request: Request,
  env: Env,
  execution: ExecutionContext,
  { posted, added, status }: Answered,
): Promise<Response | null> {
  const url = new URL(request.url)
  const address = addressIn(url)
  if (!address) return null
  const { inviteToken } = address
  const ctx = createCtx({ env, waitUntil: (promise) => execution.waitUntil(promise) })
  const headers = new Headers(NEVER_CACHED)
  try {
    const opened = await openMemorial(ctx, request, address)
    if (!opened) return null
    if (opened instanceof AppError) {
      // Somebody who has posted something gets an answer that holds their words.
      if (posted) return null
      return (await pinPage(ctx, request, env, address)) ?? (await refusedPage(ctx, request, address, opened))
    }
    if (posted && !mayTryAgain(opened)) return null
    const page = { url, inviteToken, opened, isDataSaver: prefersDataSaver(request), posted, added }
    const { html, styleHashes } = await toHtml(env, page, ctx.now())
    await opened.renew(headers)
    headers.set('Content-Security-Policy', pageCsp(url, env, styleHashes))
    return withSecurityHeaders(new Response(html, { status, headers }), request, env)
  } catch (error) {
    // The app's document makes the API's calls itself, and shows the error.
    ctx.log.error('page_not_written', error)
    return null
  }
}

/** False if the page has no forms by now. */
function mayTryAgain({ access }: OpenedMemorial): boolean {
  const refusal = access.refuse('contribute')
  return refusal === null || refusal.code === 'name_required'
}

type PersonalPage = {
  url: URL
  inviteToken: string | null
  opened: OpenedMemorial
  isDataSaver: boolean
} & Pick<Answered, 'posted' | 'added'>

/** Contributors who see the same share one rendered page, and their own parts are put in. So do guests of one link. */
async function toHtml(env: Env, page: PersonalPage, now: number): Promise<Rendered> {
  // A page that answers a form holds the user's text, so it isn't cached.
  if (page.posted) return renderPage(env, page, now)
  const shared = withoutOwnParts(page.opened)
  if (!shared) return renderOnce(env, page, now)
  const rendered = await renderOnce(env, { ...page, opened: shared.opened }, now)
  return { ...rendered, html: shared.fillIn(rendered) }
}

function renderOnce(env: Env, page: PersonalPage, now: number): Promise<Rendered> {
  const { url, inviteToken, opened, isDataSaver, added } = page
  const { access, user, own, version } = opened
  const { role, canContribute, isInvited, contributor } = access
  const asker = [role, canContribute, isInvited, contributor, user, own]
  const asked = [addressOf(page), url.pathname, inviteToken, isDataSaver, added]
  return findOrRender(`${JSON.stringify([...asked, ...asker])} ${version}`, now, () =>
    renderPage(env, page, now),
  )
}

async function renderPage(env: Env, page: PersonalPage, now: number): Promise<Rendered> {
  const { inviteToken, opened, isDataSaver, posted, added } = page
  const { access, user, own } = opened
  const isByLink = own === null && access.role === 'VISITOR' && access.memorial.privacy === 'INVITE'
  const link = isByLink ? inviteToken : null
  const data: PersonalData = {
    ...opened.content(),
    link,
    own,
    user,
    config: publicConfig(env),
    posted,
    added,
  }
  const { memorial } = data.view
  const turns = turnsAround(data.view.funeralEvents, now)
  const address = addressOf(page)
  const came = access.contributor?.inviteToken ?? null
  const origin = env.PUBLIC_ORIGIN
  // Loaded on demand, so that API calls don't load React and the app's components.
  const { renderPersonal, PAGE_DATA } = await import('#client/public-page/render-personal.tsx')
  const { html, styles } = renderPersonal({
    data,
    story: readStoryTree(memorial.lifeStory),
    writtenFor: turns.last,
    sessionInvite: came && (isStandIn(memorial.id, came) ? '' : came),
    invite: inviteToken,
    path: address,
    origin,
    isDataSaver,
    pageKey: posted?.values['page'] ?? crypto.randomUUID(),
  })
  const dataTag = `<script type="application/json" id="${PAGE_DATA}">`
  const title = documentTitle(memorialTitle(memorial))
  const content = {
    head: `${headOf(page, data.view, { origin, now })}<noscript><style>${WITHOUT_SCRIPT}</style></noscript>`,
    body:
      `<div id="root" data-address="${escapeHtml(address)}" data-title="${escapeHtml(title)}"${turnAttributes(turns)}>${html}</div>` +
      `${dataTag}${escapeJson(data)}</script>`,
    styles,
  }
  const made = await fillDocument(env, 'personal.html', content, isDataSaver ? 'withoutFonts' : 'full')
  const styleHashes = [...made.styleHashes, await sha256Base64(WITHOUT_SCRIPT)]
  return { html: made.html, dataTag, styleHashes, turnsAt: turns.next }
}

/** The address of the screen: an invitation opens its memorial. */
function addressOf({ url, inviteToken, opened }: PersonalPage): string {
  const query = new URLSearchParams(url.search)
  takeAdded(query)
  if (inviteToken !== null) query.set('invite', inviteToken)
  const search = query.size === 0 ? '' : `?${query.toString()}`
  return `${fillPath(paths.memorial, { id: opened.access.memorial.id })}${search}`
}

/** Names the person only if the owner shows that in previews. */
function headOf(
  { url, inviteToken }: PersonalPage,
  { memorial, funeralEvents }: MemorialView,
  { origin, now }: { origin: string; now: number },
): string {
  if (inviteToken !== null && memorial.showInvitePreview) {
    const gathering = memorial.privacy === 'LOCKED' ? previewGathering(funeralEvents, now) : null
    return invitationHead(inviteToken, { ...memorial, gathering }, origin)
  }
  return pageHead({ view: null, url: inviteToken === null ? url : new URL(paths.invite, origin), origin })
}
