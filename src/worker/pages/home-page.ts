import { paths } from '#shared/pages.ts'
import type { Env } from '#worker/platform/env.ts'
import { pageHead } from '#worker/features/previews/page-head.ts'
import { pageCsp } from '#worker/http/headers.ts'
import { APP, LITE } from '#worker/http/public-request.ts'
import { fillDocument } from '#worker/pages/written-document.ts'
import { sha256Base64 } from '#worker/platform/bytes.ts'

type DrawnHome = { html: string; styleHashes: string[]; etag: string }

/** Made of nothing but the deployment, so it is drawn once an isolate; by whether less data is wanted. */
const drawn = new Map<boolean, DrawnHome>()

/**
 * The landing page, whole and readable without a script, the same for everybody; null at any other address, and where the
 * gateway asks for the app, which knows who is signed in.
 */
export async function homePage(env: Env, url: URL): Promise<Response | null> {
  if (url.pathname !== paths.home || url.searchParams.has(APP)) return null
  const isDataSaver = url.searchParams.has(LITE)
  const { html, styleHashes, etag } = drawn.get(isDataSaver) ?? (await drawHome(env, url, isDataSaver))
  drawn.set(isDataSaver, { html, styleHashes, etag })
  return new Response(html, {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      ETag: etag,
      'Content-Security-Policy': pageCsp(url, env, styleHashes),
      'X-Robots-Tag': 'all',
    },
  })
}

async function drawHome(env: Env, url: URL, isDataSaver: boolean): Promise<DrawnHome> {
  const origin = env.PUBLIC_ORIGIN
  // React and the app's components are loaded by the first page that needs them, and by no call of the API.
  const { renderHome } = await import('#client/public-page/render-home.tsx')
  const filling = {
    head: pageHead({ view: null, url, origin }),
    body: `<div id="root">${renderHome({ origin, isDataSaver })}</div>`,
    styles: '',
  }
  const { html, styleHashes } = await fillDocument(env, 'home.html', filling, isDataSaver)
  return { html, styleHashes, etag: `W/"${await sha256Base64(html)}"` }
}
