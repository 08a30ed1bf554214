import { paths } from '#shared/pages/pages.ts'
import { publicConfig } from '#worker/features/config/config.routes.ts'
import type { Env } from '#worker/platform/env.ts'
import { pageHead } from '#worker/features/previews/page-head.ts'
import { pageCsp } from '#worker/http/headers.ts'
import { APP, LITE } from '#worker/http/page-request.ts'
import { fillDocument, oncePerDeployment } from '#worker/pages/written-document.ts'
import { sha256Base64 } from '#worker/platform/bytes.ts'

/** The landing page, readable without a script; null for another path, or if the gateway requests the app. */
export async function homePage(env: Env, url: URL): Promise<Response | null> {
  if (url.pathname !== paths.home || url.searchParams.has(APP)) return null
  const isDataSaver = url.searchParams.has(LITE)
  const { html, styleHashes, etag } = await oncePerDeployment(env, `home ${isDataSaver}`, () =>
    renderHomePage(env, url, isDataSaver),
  )
  return new Response(html, {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      ETag: etag,
      'Content-Security-Policy': pageCsp(url, env, styleHashes),
      'X-Robots-Tag': 'all',
    },
  })
}

async function renderHomePage(env: Env, url: URL, isDataSaver: boolean) {
  const origin = env.PUBLIC_ORIGIN
  // Loaded on demand, so that API calls don't load React and the app's components.
  const { renderHome } = await import('#client/public-page/render-home.tsx')
  const content = {
    head: pageHead({ view: null, url, origin }),
    body: `<div id="root">${renderHome({ origin, config: publicConfig(env), isDataSaver })}</div>`,
    styles: '',
  }
  const { html, styleHashes } = await fillDocument(env, 'home.html', content, isDataSaver ? 'lite' : 'full')
  return { html, styleHashes, etag: `W/"${await sha256Base64(html)}"` }
}
