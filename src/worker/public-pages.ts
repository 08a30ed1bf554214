import { WorkerEntrypoint } from 'cloudflare:workers'
import { isAboutTheService } from '#shared/pages/page-titles.ts'
import { isAppPath } from '#shared/pages/pages.ts'
import { createCtx, type Ctx } from '#worker/platform/ctx.ts'
import type { Env } from '#worker/platform/env.ts'
import { EDGE_CACHE } from '#worker/platform/edge-cache.ts'
import { pageHead } from '#worker/features/previews/page-head.ts'
import { findPreview } from '#worker/features/previews/previews.ts'
import { pageCsp, withSecurityHeaders } from '#worker/http/headers.ts'
import { homePage } from '#worker/pages/home-page.ts'
import { memorialPage } from '#worker/pages/memorial-page.ts'
import { screenPage } from '#worker/pages/screen-page.ts'
import { withoutScript, WITHOUT_SCRIPT_STYLE } from '#worker/pages/without-script.ts'
import { sha256Base64 } from '#worker/platform/bytes.ts'
import type { FirstRead } from '#worker/platform/db.ts'

const MEMORIAL = /^\/m\//u
/** Of the words for browsers without script, for the page's policy. */
let styleHash: string | null = null

/** The edge caches this by URL alone: nothing here may depend on who asks. The gateway strips cookies. */
export class PublicPages extends WorkerEntrypoint<Env> {
  override async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url)
    const ctx = this.#context('first-unconstrained')
    const preview = await findPreview(ctx, url)
    if (preview) return withSecurityHeaders(preview, request, this.env)
    const rendered = await this.#renderedPage(ctx, url)
    const page = rendered === 'none' || rendered === 'failed' ? await this.#appPage(url, rendered) : rendered
    // Browsers must revalidate each time, because the page names files of one deployment.
    page.headers.set('Cache-Control', 'public, max-age=0, must-revalidate')
    // Without a tag, the page couldn't be purged when the memorial becomes public.
    const isCacheable = page.ok && (page.headers.has('Cache-Tag') || !MEMORIAL.test(url.pathname))
    page.headers.set('Cloudflare-CDN-Cache-Control', isCacheable ? EDGE_CACHE : 'no-store')
    return withSecurityHeaders(page, request, this.env)
  }

  /** Pages are public, so the nearest replica is read first: docs/decisions/0024. */
  #context(firstRead: FirstRead): Ctx {
    return createCtx({ env: this.env, waitUntil: (promise) => this.ctx.waitUntil(promise), firstRead })
  }

  /** 'failed' if the database is down: the app then loads, and its API calls show the error. */
  async #renderedPage(ctx: Ctx, url: URL): Promise<Response | 'none' | 'failed'> {
    try {
      const screen = (await homePage(this.env, url)) ?? (await screenPage(this.env, url))
      if (screen || !MEMORIAL.test(url.pathname)) return screen ?? 'none'
      const page = await memorialPage(ctx, url)
      if (page) return page
      // People share the link as soon as the memorial is public, and a replica may not have that change yet.
      return (await memorialPage(this.#context('first-primary'), url)) ?? 'none'
    } catch (error) {
      ctx.log.error('page_not_written', error)
      return 'failed'
    }
  }

  /** The app's document, whose script decides what to show. */
  async #appPage(url: URL, rendered: 'none' | 'failed'): Promise<Response> {
    const words = withoutScript(url.pathname, rendered === 'none')
    styleHash ??= await sha256Base64(WITHOUT_SCRIPT_STYLE)
    const page = new Response(await this.#shell(url, words), {
      status: isAppPath(url.pathname) ? 200 : 404,
      headers: {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': pageCsp(url, this.env, [styleHash]),
      },
    })
    // All other pages keep the default, `noindex`.
    if (isAboutTheService(url.pathname)) page.headers.set('X-Robots-Tag', 'all')
    return page
  }

  /** The app's document with the head of this page. Reads it completely first, so that a truncated one isn't sent with 200. */
  async #shell(url: URL, words: string): Promise<string> {
    for (let attempt = 0; attempt < 2; attempt++) {
      const shell = await this.env.ASSETS.fetch(new Request(new URL('/index.html', url)))
      const html = await shell.text()
      if (!html.trimEnd().endsWith('</html>')) continue
      const head = pageHead({ view: null, url, origin: this.env.PUBLIC_ORIGIN })
      return html
        .replace('<!--head-->', () => `${head}<style>${WITHOUT_SCRIPT_STYLE}</style>`)
        .replace('<!--without-script-->', () => words)
    }
    throw new Error("the app's document did not come whole")
  }

  /** Throws if Cloudflare refuses (the limit is 5 calls a minute). Local development has no cache to purge. */
  async purge(tags: string[]): Promise<void> {
    const cache: unknown = Reflect.get(this.ctx, 'cache')
    if (!isPurgeable(cache)) return
    const { success, errors } = await cache.purge({ tags })
    if (!success) throw new Error(`the cache purge failed: ${JSON.stringify(errors)}`)
  }
}

/** https://developers.cloudflare.com/workers/cache/purge/ */
type Purgeable = { purge: (options: { tags: string[] }) => Promise<{ success: boolean; errors?: unknown }> }

function isPurgeable(cache: unknown): cache is Purgeable {
  return typeof cache === 'object' && cache !== null && 'purge' in cache && typeof cache.purge === 'function'
}
