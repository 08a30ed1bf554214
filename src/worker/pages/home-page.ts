import { paths } from '#shared/pages.ts'
import type { Env } from '#worker/platform/env.ts'
import { pageHead } from '#worker/features/previews/page-head.ts'
import { pageCsp } from '#worker/http/headers.ts'
import { APP, LITE } from '#worker/http/public-request.ts'
import { fillDocument } from '#worker/pages/written-document.ts'
import { sha256Base64 } from '#worker/platform/bytes.ts'

type RenderedHome = { html: string; styleHashes: string[]; etag: string }

/** The page depends only on the deployed files, so each isolate renders it once, and once for the data saver. */
const rendered = new WeakMap<Fetcher, Map<boolean, RenderedHome>>()

/**
 * The landing page, readable without a script and the same for everyone; null for any other path, and where the gateway
 * requests the app for a browser with a session.
 */
export async function homePage(env: Env, url: URL): Promise<Response | null> {
  if (url.pathname !== paths.home || url.searchParams.has(APP)) return null
  const isDataSaver = url.searchParams.has(LITE)
  const cached = rendered.get(env.ASSETS) ?? new Map<boolean, RenderedHome>()
  const page = cached.get(isDataSaver) ?? (await renderHomePage(env, url, isDataSaver))
  rendered.set(env.ASSETS, cached.set(isDataSaver, page))
  const { html, styleHashes, etag } = page
  return new Response(html, {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      ETag: etag,
      'Content-Security-Policy': pageCsp(url, env, styleHashes),
      'X-Robots-Tag': 'all',
    },
  })
}

async function renderHomePage(env: Env, url: URL, isDataSaver: boolean): Promise<RenderedHome> {
  const origin = env.PUBLIC_ORIGIN
  // Loaded on demand, so that API calls don't load React and the app's components.
  const { renderHome } = await import('#client/public-page/render-home.tsx')
  const content = {
    head: pageHead({ view: null, url, origin }),
    body: `<div id="root">${renderHome({ origin, isDataSaver })}</div>`,
    styles: '',
  }
  const { html, styleHashes } = await fillDocument(env, 'home.html', content, isDataSaver)
  return { html, styleHashes, etag: `W/"${await sha256Base64(html)}"` }
}
