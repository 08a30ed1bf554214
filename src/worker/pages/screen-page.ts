import type { User } from '#shared/accounts/accounts.ts'
import type { VisitorWords } from '#shared/comments/comments.ts'
import { fillPath } from '#shared/fill-path.ts'
import { isAppPath, paths, screenAt } from '#shared/pages/pages.ts'
import { isAboutTheService } from '#shared/pages/page-titles.ts'
import {
  needsSession,
  showsQuery,
  writtenScreenAt,
  type WrittenScreen,
} from '#shared/pages/written-screens.ts'
import type { Answers, PostedForm } from '#client/public-page/render-screen.tsx'
import { publicConfig } from '#worker/features/config/config.routes.ts'
import { pageHead } from '#worker/features/previews/page-head.ts'
import { findSessionUser, toApiUser } from '#worker/access/sessions.ts'
import { carriesSession, readCookies } from '#worker/http/cookies.ts'
import { NEVER_CACHED, pageCsp, withSecurityHeaders } from '#worker/http/headers.ts'
import { APP, LITE, prefersDataSaver } from '#worker/http/page-request.ts'
import { fillDocument, oncePerDeployment, type DocumentVersion } from '#worker/pages/written-document.ts'
import { sha256Base64 } from '#worker/platform/bytes.ts'
import { createCtx } from '#worker/platform/ctx.ts'
import type { Env } from '#worker/platform/env.ts'
import { escapeHtml } from '#worker/platform/escape.ts'

/** A screen for visitors without a session, the same for all; null for another page, or if the gateway requests the app. */
export async function screenPage(env: Env, url: URL): Promise<Response | null> {
  const screen = url.searchParams.has(APP) ? null : writtenScreenAt(url.pathname)
  if (!screen) return null
  const isDataSaver = url.searchParams.has(LITE)
  const { html, styleHashes, etag } = await oncePerDeployment(
    env,
    `${screen.name} ${screen.path} ${isDataSaver}`,
    async () => {
      const address = new URL(screen.path, url)
      const written = await writeScreen(env, { screen, url: address, isDataSaver })
      return { ...written, etag: `W/"${await sha256Base64(written.html)}"` }
    },
  )
  const isFound = isAppPath(url.pathname)
  return new Response(html, {
    status: isFound ? 200 : 404,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      ...(isFound && { ETag: etag }),
      'Content-Security-Policy': pageCsp(url, env, styleHashes),
      ...(isAboutTheService(url.pathname) && { 'X-Robots-Tag': 'all' }),
    },
  })
}

/**
 * A screen that shows something of its query, and the login where a session is needed, for a browser without one; else null.
 * Never cached.
 */
export async function queriedScreen(request: Request, env: Env): Promise<Response | null> {
  if (carriesSession(request)) return null
  const url = new URL(request.url)
  const shown = addressForVisitors(url)
  const screen = writtenScreenAt(shown.pathname)
  if (!screen || !showsQuery(screen, shown.searchParams)) return null
  return personalScreen(request, env, null, isAppPath(url.pathname) ? 200 : 404)
}

/**
 * The checkout for the signed-in user: readable before the app is here, which then asks for the card. Null for any other page,
 * without a live session, and while the database is down.
 */
export async function checkoutPage(
  request: Request,
  env: Env,
  execution: ExecutionContext,
): Promise<Response | null> {
  const url = new URL(request.url)
  if (screenAt(url.pathname) !== paths.checkout) return null
  const ctx = createCtx({ env, waitUntil: (promise) => execution.waitUntil(promise) })
  try {
    const headers = new Headers(NEVER_CACHED)
    const user = await findSessionUser(ctx, request, readCookies(request), headers)
    if (!user) return null
    const screen = { name: 'Checkout', path: paths.checkout } as const
    const isDataSaver = prefersDataSaver(request)
    const { html, styleHashes } = await writeScreen(env, { screen, url, isDataSaver, user: toApiUser(user) })
    headers.set('Content-Security-Policy', pageCsp(url, env, styleHashes))
    return withSecurityHeaders(new Response(html, { headers }), request, env)
  } catch (error) {
    // The app's document makes the API's calls itself, and shows the error.
    ctx.log.error('page_not_written', error)
    return null
  }
}

/** The address of what a visitor without a session sees here: the login, where a session is needed. */
export function addressForVisitors(url: URL): URL {
  const address = new URL(url)
  if (!needsSession(url.pathname)) return address
  address.pathname = paths.login
  address.search = `?next=${encodeURIComponent(url.pathname + url.search)}`
  return address
}

/** The screen for one request: with its query, and the refused form that it answers. */
export async function personalScreen(
  request: Request,
  env: Env,
  posted: PostedForm | null,
  status: number,
): Promise<Response> {
  const url = new URL(request.url)
  const isDataSaver = prefersDataSaver(request)
  const shown = addressForVisitors(url)
  const screen = writtenScreenAt(shown.pathname)
  if (!screen) throw new Error('there is no screen to write at this address')
  const { html, styleHashes } = await writeScreen(env, { screen, url: shown, isDataSaver, posted })
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': pageCsp(url, env, styleHashes),
  }
  return withSecurityHeaders(new Response(html, { status, headers }), request, env)
}

/** What a visitor has left at a memorial, and the refused form that the page answers. Never cached. */
export async function visitorWordsScreen(
  request: Request,
  env: Env,
  words: VisitorWords,
  posted: PostedForm | null,
  status: number,
): Promise<Response> {
  const url = new URL(request.url)
  const screen = { name: 'VisitorWords', path: fillPath(paths.visitorWords, words.memorial) } as const
  const isDataSaver = prefersDataSaver(request)
  const { html, styleHashes } = await writeScreen(env, { screen, url, isDataSaver, posted, words })
  const headers = { ...NEVER_CACHED, 'Content-Security-Policy': pageCsp(url, env, styleHashes) }
  return withSecurityHeaders(new Response(html, { status, headers }), request, env)
}

/** Replies of whoever asks, or what leads them back to what they added, with what the API answers of them, and the refused form that the page answers. Never cached. */
export async function answeredScreen(
  request: Request,
  env: Env,
  name: 'Replies' | 'Reply' | 'Again' | 'Follow',
  answers: Answers,
  posted: PostedForm | null,
  status: number,
): Promise<Response> {
  const url = new URL(request.url)
  const screen = { name, path: url.pathname } as const
  const isDataSaver = prefersDataSaver(request)
  const { html, styleHashes } = await writeScreen(env, { screen, url, isDataSaver, posted, answers })
  const headers = { ...NEVER_CACHED, 'Content-Security-Policy': pageCsp(url, env, styleHashes) }
  return withSecurityHeaders(new Response(html, { status, headers }), request, env)
}

type ToWrite = {
  screen: WrittenScreen
  url: URL
  isDataSaver: boolean
  posted?: PostedForm | null
  user?: User | null
  words?: VisitorWords
  answers?: Answers
}

/** The path of the screen stands for the one in the address, so that no token gets into the page. */
async function writeScreen(
  env: Env,
  { screen, url, isDataSaver, posted = null, user = null, words, answers = {} }: ToWrite,
) {
  const origin = env.PUBLIC_ORIGIN
  const config = publicConfig(env)
  const path = screen.path + url.search
  const version = versionOf(screen, isDataSaver)
  // Loaded on demand, so that API calls don't load React and the app's components.
  const { renderScreen } = await import('#client/public-page/render-screen.tsx')
  const { html, title } = renderScreen({
    name: screen.name,
    path,
    origin,
    config,
    isDataSaver: version !== 'full',
    posted,
    user,
    words: words ?? null,
    answers,
  })
  // The app opens the link of a mail. It does nothing for a program that only reads the page.
  const opensLink = screen.name === 'VerifyEmail' && !showsQuery(screen, url.searchParams) && !posted
  // For hydration: the screen, this deployment's settings, the refused form, the user, and where the browser is by now.
  const data = {
    screen: screen.name,
    config: JSON.stringify(config),
    ...(posted && { posted: JSON.stringify(posted) }),
    ...(user && { user: JSON.stringify(user) }),
    ...((opensLink || user) && { start: 'now' }),
    ...(screen.name === 'Login' && { address: path }),
  }
  const attributes = Object.entries(data).map(([name, value]) => ` data-${name}="${escapeHtml(value)}"`)
  const content = {
    // A mailed link is nobody else's to know.
    head: pageHead({
      view: null,
      url: new URL(screen.name === 'Reply' ? paths.reply : screen.path, origin),
      origin,
      title,
    }),
    body: `<div id="root"${attributes.join('')}>${html}</div>`,
    styles: '',
  }
  return fillDocument(env, 'screen.html', content, version)
}

function versionOf({ name }: WrittenScreen, isDataSaver: boolean): DocumentVersion {
  // The last screen of a reset can end all invitations, which needs a script.
  if (!isDataSaver || name === 'ResetPassword') return 'full'
  return name === 'Checkout' ? 'withoutFonts' : 'lite'
}
