import { api } from '#shared/api.ts'
import { fillPath } from '#shared/fill-path.ts'
import { pageParameters } from '#shared/pages/pages.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { publicConfig } from '#worker/features/config/config.routes.ts'
import { readStoryTree } from '#worker/features/memorials/life-story.ts'
import { turnsAround } from '#worker/features/funeral/turns.ts'
import { memorialTag } from '#worker/platform/edge-cache.ts'
import { readPublicRows, toPublicPage, type PublicPage } from '#worker/features/views/memorial-view.ts'
import { escapeHtml } from '#worker/platform/escape.ts'
import { pageHead } from '#worker/features/previews/page-head.ts'
import { pageCsp } from '#worker/http/headers.ts'
import { LITE } from '#worker/http/page-request.ts'
import { renderedPages } from '#worker/pages/rendered-pages.ts'
import { fillDocument, turnAttributes } from '#worker/pages/written-document.ts'
import { sha256Base64 } from '#worker/platform/bytes.ts'

/** A page's HTML and headers. */
type Rendered = { html: string; headers: Record<string, string>; turnsAt: number | null }
/** By path, query and the rows that a page was rendered from. */
const findOrRender = renderedPages<Rendered>()

const PUBLIC_MEMORIAL = /^\/m\/([a-z0-9-]+)\/?$/u

/** As an anonymous visitor sees it, readable without a script; null if there is none. Sets `Cache-Tag`. */
export async function memorialPage(ctx: Ctx, url: URL): Promise<Response | null> {
  const slug = PUBLIC_MEMORIAL.exec(url.pathname)?.[1]
  if (slug === undefined) return null
  const parameter = (name: keyof typeof pageParameters) => url.searchParams.get(pageParameters[name])
  const positions = { media: parameter('photos'), comments: parameter('messages'), photo: parameter('photo') }
  const rows = await readPublicRows(ctx, slug, positions)
  const rendered = await findOrRender(`${url.pathname}${url.search} ${rows.json()}`, ctx.now(), async () => {
    const page = toPublicPage(rows)
    return page && renderPage(ctx, url, page)
  })
  return rendered && new Response(rendered.html, { headers: rendered.headers })
}

async function renderPage(ctx: Ctx, url: URL, { view, photo }: PublicPage): Promise<Rendered> {
  const isDataSaver = url.searchParams.has(LITE)
  const path = new URL(url)
  path.searchParams.delete(LITE)
  const config = publicConfig(ctx.env)
  const turns = turnsAround(view.funeralEvents, ctx.now())
  // Loaded on demand, so that API calls don't load React and the app's components.
  const { renderPublicPage } = await import('#client/public-page/render.tsx')
  const { app, still, styles } = renderPublicPage({
    view,
    photo,
    config,
    story: readStoryTree(view.memorial.lifeStory),
    writtenFor: turns.last,
    origin: ctx.env.PUBLIC_ORIGIN,
    path: path.pathname + path.search,
    isDataSaver,
  })
  // For hydration: the URL of the shown data, and this deployment's settings. The id: who has contributed loads the app.
  const address = escapeHtml(fillPath(api.memorialBySlug.path, { slug: view.memorial.slug }))
  const content = {
    head: pageHead({ view: { ...view, now: ctx.now() }, url, origin: ctx.env.PUBLIC_ORIGIN }),
    body: `${still}<div id="root" data-memorial="${view.memorial.id}" data-view="${address}" data-config="${escapeHtml(JSON.stringify(config))}"${turnAttributes(turns)}>${app}</div>`,
    styles,
  }
  const { html, styleHashes } = await fillDocument(
    ctx.env,
    'memorial.html',
    content,
    isDataSaver ? 'lite' : 'full',
  )
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    ETag: `W/"${await sha256Base64(html)}"`,
    'Cache-Tag': memorialTag(view.memorial.id),
    'Content-Security-Policy': pageCsp(url, ctx.env, styleHashes),
    ...(view.memorial.allowSearchEngines && { 'X-Robots-Tag': 'all' }),
  }
  return { html, headers, turnsAt: turns.next }
}
