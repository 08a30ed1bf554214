import type { PersonalData, PostedForm } from '#client/public-page/render-personal.tsx'
import { publicConfig } from '#worker/features/config/config.routes.ts'
import { readStoryTree } from '#worker/features/memorials/life-story.ts'
import { invitationHead, pageHead } from '#worker/features/previews/page-head.ts'
import { openMemorial, type Address, type OpenedMemorial } from '#worker/features/views/opened-memorial.ts'
import { pageCsp, withSecurityHeaders } from '#worker/http/headers.ts'
import { prefersDataSaver } from '#worker/http/page-request.ts'
import { refusedPage } from '#worker/pages/refused-page.ts'
import { fillDocument } from '#worker/pages/written-document.ts'
import { sha256Base64 } from '#worker/platform/bytes.ts'
import { createCtx } from '#worker/platform/ctx.ts'
import type { Env } from '#worker/platform/env.ts'
import { escapeHtml, escapeJson } from '#worker/platform/escape.ts'
import { AppError } from '#shared/errors.ts'
import { documentTitle, memorialTitle } from '#shared/page-titles.ts'
import { paths } from '#shared/pages.ts'
import type { Added } from '#shared/messages.ts'
import { takeAdded } from '#shared/plain-forms.ts'

const BY_ID = /^\/memorial\/(mem_[a-z0-9]+)\/?$/u
const BY_INVITATION = /^\/invite\/([\w-]+)\/?$/u

/** Without script, what only a script can do is hidden. */
const WITHOUT_SCRIPT =
  '.needs-script{display:none !important}@media(scripting:none){button[type=button]{display:none !important}}'

const NEVER = 'private, no-store'
/** Pages cached per isolate: a few megabytes. */
const RENDERED_MAX = 50
/** Maximum age: a page depends on the time (past funeral services). */
const RENDERED_MS = 60_000
type Rendered = { html: string; styleHashes: string[] }
/** By everything that the page shows, so that nobody gets what was written for another: docs/decisions/0061. */
const rendered = new Map<string, Rendered & { at: number }>()

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
  const headers = new Headers({
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': NEVER,
    'Cloudflare-CDN-Cache-Control': NEVER,
  })
  try {
    const opened = await openMemorial(ctx, request, address)
    if (!opened) return null
    if (opened instanceof AppError) {
      // Whoever has posted something gets an answer that holds their words.
      return posted ? null : await refusedPage(ctx, request, address, opened)
    }
    if (posted && !mayTryAgain(opened)) return null
    const page = { url, inviteToken, opened, isDataSaver: prefersDataSaver(request), posted, added }
    const { html, styleHashes } = await findOrRender(env, page, ctx.now())
    await opened.renew(headers)
    headers.set('Content-Security-Policy', pageCsp(url, env, styleHashes))
    return withSecurityHeaders(new Response(html, { status, headers }), request, env)
  } catch (error) {
    // The app's document tries the calls, and shows the error.
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

/** Rendering takes most of the CPU time, and all guests of one link see the same. */
async function findOrRender(env: Env, toRender: PersonalPage, now: number): Promise<Rendered> {
  const { url, inviteToken, opened, isDataSaver, posted, added } = toRender
  const { access, view, media, comments, own, user } = opened
  const isByLink = own === null && view.viewer.role === 'VISITOR' && view.memorial.privacy === 'INVITE'
  const link = isByLink ? inviteToken : null
  const data: PersonalData = {
    link,
    view,
    media,
    comments,
    own,
    user,
    config: publicConfig(env),
    posted,
    added,
  }
  const json = escapeJson(data)
  const address = addressOf(toRender)
  const key = JSON.stringify([address, url.pathname, inviteToken, access.contributor, isDataSaver, json])
  const last = rendered.get(key)
  if (last && now - last.at < RENDERED_MS) return last
  const origin = env.PUBLIC_ORIGIN
  // Loaded on demand, so that API calls don't load React and the app's components.
  const { renderPersonal, PAGE_DATA } = await import('#client/public-page/render-personal.tsx')
  const { html, styles } = renderPersonal({
    data,
    story: readStoryTree(view.memorial.lifeStory),
    sessionInvite: access.contributor?.inviteToken ?? null,
    invite: inviteToken,
    path: address,
    origin,
    isDataSaver,
    pageKey: posted?.values['page'] ?? crypto.randomUUID(),
  })
  const title = documentTitle(memorialTitle(view.memorial))
  const content = {
    head: `${headOf(toRender, origin)}<noscript><style>${WITHOUT_SCRIPT}</style></noscript>`,
    body:
      `<div id="root" data-address="${escapeHtml(address)}" data-title="${escapeHtml(title)}">${html}</div>` +
      `<script type="application/json" id="${PAGE_DATA}">${json}</script>`,
    styles,
  }
  const made = await fillDocument(env, 'personal.html', content, isDataSaver ? 'withoutFonts' : 'full')
  const styleHashes = [...made.styleHashes, await sha256Base64(WITHOUT_SCRIPT)]
  const page = { html: made.html, styleHashes }
  if (posted) return page
  if (rendered.size >= RENDERED_MAX) rendered.clear()
  rendered.set(key, { ...page, at: now })
  return page
}

/** The address of the screen: an invitation opens its memorial. */
function addressOf({ url, inviteToken, opened }: PersonalPage): string {
  const query = new URLSearchParams(url.search)
  takeAdded(query)
  if (inviteToken !== null) query.set('invite', inviteToken)
  const search = query.size === 0 ? '' : `?${query.toString()}`
  return `${paths.memorial.replace(':id', opened.view.memorial.id)}${search}`
}

/** Names the person only if the owner shows that in previews. */
function headOf({ url, inviteToken, opened }: PersonalPage, origin: string): string {
  const { memorial } = opened.view
  if (inviteToken !== null && memorial.showInvitePreview) return invitationHead(inviteToken, memorial, origin)
  return pageHead({ view: null, url: inviteToken === null ? url : new URL(paths.invite, origin), origin })
}
