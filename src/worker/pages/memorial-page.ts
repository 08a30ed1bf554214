import { api } from '#shared/api.ts'
import { pageParameters } from '#shared/pages.ts'
import type { Ctx } from '#worker/ctx.ts'
import { publicConfig } from '#worker/features/config/config.ts'
import { readStoryTree } from '#worker/features/memorials/life-story.ts'
import { memorialTag } from '#worker/features/memorials/public-cache.ts'
import {
  pageOfRows,
  readPublicPage,
  readPublicRows,
  type PublicPage,
} from '#worker/features/memorials/public-page.ts'
import { escapeHtml } from '#worker/platform/escape.ts'
import { pageHead } from '#worker/features/previews/page-head.ts'
import { pageCsp } from '#worker/http/headers.ts'
import { LITE } from '#worker/http/public-request.ts'
import { keepPage, keptPage, type DrawnPage } from '#worker/pages/drawn-pages.ts'
import { fillDocument } from '#worker/pages/written-document.ts'
import { sha256Base64 } from '#worker/platform/bytes.ts'

const PUBLIC_MEMORIAL = /^\/m\/([a-z0-9-]+)\/?$/u

/**
 * The page of the public memorial at this address as a stranger sees it, whole and readable without a script; null where no
 * memorial is public. Its `Cache-Tag` is the memorial's, its `X-Robots-Tag` what the owner has decided.
 */
export async function memorialPage(ctx: Ctx, url: URL): Promise<Response | null> {
  const slug = PUBLIC_MEMORIAL.exec(url.pathname)?.[1]
  if (slug === undefined) return null
  const isStart = Object.values(pageParameters).every((name) => !url.searchParams.has(name))
  // A page that is read much is made of the same rows again and again: they are read each time, and drawn once.
  const rows = isStart ? await readPublicRows(ctx, slug) : null
  const madeOf = rows?.text ?? null
  const address = url.pathname + url.search
  const read = () => (rows ? pageOfRows(ctx, rows) : readPage(ctx, url, slug))
  const drawn = keptPage(address, madeOf, ctx.now()) ?? (await drawPage(ctx, url, await read()))
  if (!drawn) return null
  if (madeOf !== null) keepPage(address, { madeOf, at: ctx.now(), page: drawn })
  const answer = new Response(drawn.html, {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      ETag: drawn.etag,
      'Cache-Tag': drawn.tag,
      'Content-Security-Policy': pageCsp(url, ctx.env, drawn.styleHashes),
    },
  })
  if (drawn.isListed) answer.headers.set('X-Robots-Tag', 'all')
  return answer
}

/** As the address asks for it: further down its lists, or with one photograph. */
function readPage(ctx: Ctx, url: URL, slug: string): Promise<PublicPage | null> {
  const asked = (name: keyof typeof pageParameters) => url.searchParams.get(pageParameters[name])
  return readPublicPage(ctx, slug, {
    media: asked('photos'),
    comments: asked('messages'),
    photo: asked('photo'),
  })
}

/** The page as it is now; null where there is none. */
async function drawPage(ctx: Ctx, url: URL, page: PublicPage | null): Promise<DrawnPage | null> {
  if (!page) return null
  const { view, photo } = page
  const isLite = url.searchParams.has(LITE)
  const path = new URL(url)
  path.searchParams.delete(LITE)
  const config = publicConfig(ctx.env)
  // React and the app's components are loaded by the first page that needs them, and by no call of the API.
  const { renderPublicPage } = await import('#client/public-page/render.tsx')
  const { app, still, styles } = renderPublicPage({
    view,
    photo,
    config,
    story: readStoryTree(view.memorial.lifeStory),
    origin: ctx.env.PUBLIC_ORIGIN,
    path: path.pathname + path.search,
    isLite,
  })
  // For the script: the address of what is shown, and what it must know of this deployment.
  const address = escapeHtml(api.memorialBySlug.path.replace(':slug', view.memorial.slug))
  const filling = {
    head: pageHead({ view, url, origin: ctx.env.PUBLIC_ORIGIN }),
    body: `${still}<div id="root" data-view="${address}" data-config="${escapeHtml(JSON.stringify(config))}">${app}</div>`,
    styles,
  }
  const { html, styleHashes } = await fillDocument(ctx.env, 'memorial.html', filling, isLite)
  return {
    html,
    styleHashes,
    etag: `W/"${await sha256Base64(html)}"`,
    tag: memorialTag(view.memorial.id),
    isListed: view.memorial.allowSearchEngines,
  }
}
