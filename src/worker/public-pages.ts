import { WorkerEntrypoint } from 'cloudflare:workers'
import { isAboutTheService, isAppPath } from '#shared/pages.ts'
import { createCtx, type Ctx } from '#worker/platform/ctx.ts'
import type { Env } from '#worker/platform/env.ts'
import { EDGE_CACHE } from '#worker/features/memorials/public-cache.ts'
import { pageHead } from '#worker/features/previews/page-head.ts'
import { findPreview } from '#worker/features/previews/previews.ts'
import { withSecurityHeaders } from '#worker/http/headers.ts'
import { homePage } from '#worker/pages/home-page.ts'
import { memorialPage } from '#worker/pages/memorial-page.ts'
import type { FirstRead } from '#worker/platform/db.ts'

const MEMORIAL = /^\/m\//u

/**
 * Pages that are the same for everybody. This entrypoint is cached at the edge by path alone, so nothing that depends on
 * who asks may be made here: the gateway strips cookies before it calls.
 */
export class PublicPages extends WorkerEntrypoint<Env> {
  override async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url)
    const ctx = this.#context('first-unconstrained')
    const preview = await findPreview(ctx, url)
    if (preview) return withSecurityHeaders(preview, request, this.env)
    const page = (await this.#writtenPage(ctx, url)) ?? (await this.#appPage(url))
    // What a browser keeps it asks about each time: the page names files of one deployment.
    page.headers.set('Cache-Control', 'public, max-age=0, must-revalidate')
    // Without a tag nothing could make the edge forget it when the memorial becomes public.
    const isKept = page.ok && (page.headers.has('Cache-Tag') || !MEMORIAL.test(url.pathname))
    page.headers.set('Cloudflare-CDN-Cache-Control', isKept ? EDGE_CACHE : 'no-store')
    return withSecurityHeaders(page, request, this.env)
  }

  /** Made for everybody, so from the nearest replica first: docs/decisions/0024. */
  #context(firstRead: FirstRead): Ctx {
    return createCtx({ env: this.env, waitUntil: (promise) => this.ctx.waitUntil(promise), firstRead })
  }

  /** A page opens also while the database is away: the app's own calls say what is wrong. */
  async #writtenPage(ctx: Ctx, url: URL): Promise<Response | null> {
    try {
      if (!MEMORIAL.test(url.pathname)) return await homePage(this.env, url)
      const near = await memorialPage(ctx, url)
      if (near) return near
      // Its link is sent out in the moment in which it becomes public: a replica may not know yet.
      return await memorialPage(this.#context('first-primary'), url)
    } catch (error) {
      ctx.log.error('page_not_written', error)
      return null
    }
  }

  /** The app's document: what it shows its script finds out. */
  async #appPage(url: URL): Promise<Response> {
    const page = new Response(await this.#shell(url), {
      status: isAppPath(url.pathname) ? 200 : 404,
      headers: { 'Content-Type': 'text/html; charset=utf-8' },
    })
    // Every other page keeps the default, `noindex`.
    if (isAboutTheService(url.pathname)) page.headers.set('X-Robots-Tag', 'all')
    return page
  }

  /**
   * The app's document with the head of this page, read whole before it is answered: a page that arrives empty with 200 would
   * be taken for one.
   */
  async #shell(url: URL): Promise<string> {
    for (let attempt = 0; attempt < 2; attempt++) {
      const shell = await this.env.ASSETS.fetch(new Request(new URL('/index.html', url)))
      const html = await shell.text()
      if (html.trimEnd().endsWith('</html>')) return withHead(html, url, this.env)
    }
    throw new Error("the app's document did not come whole")
  }

  /**
   * Makes the edge forget every page with one of these tags. Throws when it refuses (too often: 5 calls a minute). Nothing to
   * do where there is no cache in front (local).
   */
  async purge(tags: string[]): Promise<void> {
    const cache: unknown = Reflect.get(this.ctx, 'cache')
    if (!isPurgeable(cache)) return
    const { success, errors } = await cache.purge({ tags })
    if (!success) throw new Error(`the edge did not purge: ${JSON.stringify(errors)}`)
  }
}

function withHead(html: string, url: URL, env: Env): string {
  return html.replace('<!--head-->', () => pageHead({ view: null, url, origin: env.PUBLIC_ORIGIN }))
}

/** https://developers.cloudflare.com/workers/cache/purge/ */
type Purgeable = { purge: (options: { tags: string[] }) => Promise<{ success: boolean; errors?: unknown }> }

function isPurgeable(cache: unknown): cache is Purgeable {
  return typeof cache === 'object' && cache !== null && 'purge' in cache && typeof cache.purge === 'function'
}
