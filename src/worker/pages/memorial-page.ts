import { api } from '#shared/api.ts'
import { pageParameters } from '#shared/pages.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { publicConfig } from '#worker/features/config/config.routes.ts'
import { readStoryTree } from '#worker/features/memorials/life-story.ts'
import { memorialTag } from '#worker/platform/edge-cache.ts'
import { readPublicPage, type PublicPage } from '#worker/features/views/memorial-view.ts'
import { escapeHtml } from '#worker/platform/escape.ts'
import { pageHead } from '#worker/features/previews/page-head.ts'
import { pageCsp } from '#worker/http/headers.ts'
import { LITE } from '#worker/http/page-request.ts'
import { fillDocument } from '#worker/pages/written-document.ts'
import { sha256Base64 } from '#worker/platform/bytes.ts'

/** Pages cached per isolate: a few megabytes. */
const RENDERED_MAX = 50
/** Maximum age: a page depends on the time (past funeral services). */
const RENDERED_MS = 60_000
/** `data`: the JSON that the page was rendered from. `at`: when, in milliseconds. */
type Rendered = { html: string; styleHashes: string[]; etag: string; data: string; at: number }
/** By path and query. Rendering takes most of a page's CPU time: docs/decisions/0044. */
const rendered = new Map<string, Rendered>()

const PUBLIC_MEMORIAL = /^\/m\/([a-z0-9-]+)\/?$/u

/** As an anonymous visitor sees it, readable without a script; null if there is none. Sets `Cache-Tag`. */
export async function memorialPage(ctx: Ctx, url: URL): Promise<Response | null> {
  const slug = PUBLIC_MEMORIAL.exec(url.pathname)?.[1]
  if (slug === undefined) return null
  const parameter = (name: keyof typeof pageParameters) => url.searchParams.get(pageParameters[name])
  const positions = { media: parameter('photos'), comments: parameter('messages'), photo: parameter('photo') }
  const page = await readPublicPage(ctx, slug, positions)
  if (!page) return null
  const { memorial } = page.view
  const { html, styleHashes, etag } = await renderOnce(ctx, url, page)
  const answer = new Response(html, {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      ETag: etag,
      'Cache-Tag': memorialTag(memorial.id),
      'Content-Security-Policy': pageCsp(url, ctx.env, styleHashes),
    },
  })
  if (memorial.allowSearchEngines) answer.headers.set('X-Robots-Tag', 'all')
  return answer
}

/** Like {@link renderPage}, but reuses what this isolate rendered from the same data within the last minute. */
async function renderOnce(ctx: Ctx, url: URL, page: PublicPage): Promise<Rendered> {
  const address = url.pathname + url.search
  const data = JSON.stringify(page)
  const last = rendered.get(address)
  if (last?.data === data && ctx.now() - last.at < RENDERED_MS) return last
  const { html, styleHashes } = await renderPage(ctx, url, page)
  const now = { html, styleHashes, etag: `W/"${await sha256Base64(html)}"`, data, at: ctx.now() }
  if (rendered.size >= RENDERED_MAX) rendered.clear()
  rendered.set(address, now)
  return now
}

/** The whole document; `styleHashes` are for its Content-Security-Policy. */
async function renderPage(
  ctx: Ctx,
  url: URL,
  page: PublicPage,
): Promise<{ html: string; styleHashes: string[] }> {
  const { view, photo } = page
  const isDataSaver = url.searchParams.has(LITE)
  const path = new URL(url)
  path.searchParams.delete(LITE)
  const config = publicConfig(ctx.env)
  // Loaded on demand, so that API calls don't load React and the app's components.
  const { renderPublicPage } = await import('#client/public-page/render.tsx')
  const { app, still, styles } = renderPublicPage({
    view,
    photo,
    config,
    story: readStoryTree(view.memorial.lifeStory),
    origin: ctx.env.PUBLIC_ORIGIN,
    path: path.pathname + path.search,
    isDataSaver,
  })
  // For hydration: the URL of the shown data, and this deployment's settings.
  const address = escapeHtml(api.memorialBySlug.path.replace(':slug', view.memorial.slug))
  const content = {
    head: pageHead({ view, url, origin: ctx.env.PUBLIC_ORIGIN }),
    body: `${still}<div id="root" data-view="${address}" data-config="${escapeHtml(JSON.stringify(config))}">${app}</div>`,
    styles,
  }
  return fillDocument(ctx.env, 'memorial.html', content, isDataSaver)
}
