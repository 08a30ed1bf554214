import { WorkerEntrypoint } from 'cloudflare:workers'
import { isAboutTheService, isAppPath } from '#shared/pages.ts'
import { createCtx, type Ctx } from '#worker/ctx.ts'
import type { Env } from '#worker/env.ts'
import { memorialTag } from '#worker/features/memorials/public-cache.ts'
import { findPublicPage } from '#worker/features/memorials/search-engines.ts'
import { findPreview } from '#worker/features/previews/previews.ts'
import { withSecurityHeaders } from '#worker/http/headers.ts'

/** Seconds an edge and a browser may keep a page of this entrypoint. See docs/decisions/0003. */
const EDGE_CACHE = 'public, max-age=60, stale-while-revalidate=600'
const PUBLIC_MEMORIAL = /^\/m\/([a-z0-9-]+)\/?$/u

/**
 * Pages that are the same for everybody. This entrypoint is cached at the edge by path alone, so nothing that depends on
 * who asks may be made here: the gateway strips cookies before it calls.
 */
export class PublicPages extends WorkerEntrypoint<Env> {
  override async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url)
    const ctx = this.#context()
    const preview = await findPreview(ctx, request)
    if (preview) return withSecurityHeaders(preview, request, this.env)
    const found = isAppPath(url.pathname)
    const page = new Response(await this.#shell(url), {
      status: found ? 200 : 404,
      headers: {
        'Content-Type': 'text/html; charset=utf-8',
        // The shell names hashed files of one deployment, so a browser asks again each time.
        'Cache-Control': 'public, max-age=0, must-revalidate',
        'Cloudflare-CDN-Cache-Control': found ? EDGE_CACHE : 'no-store',
      },
    })
    const memorial = await this.#publicMemorial(url.pathname)
    if (memorial) page.headers.set('Cache-Tag', memorialTag(memorial.id))
    // Every other page keeps the default, `noindex`.
    if (isAboutTheService(url.pathname) || memorial?.allowSearchEngines) {
      page.headers.set('X-Robots-Tag', 'all')
    }
    return withSecurityHeaders(page, request, this.env)
  }

  /** Made for everybody, so from the nearest replica: docs/decisions/0023. */
  #context(): Ctx {
    return createCtx({
      env: this.env,
      waitUntil: (promise) => this.ctx.waitUntil(promise),
      firstRead: 'first-unconstrained',
    })
  }

  /** The app's document, read whole before it is answered: a page that arrives empty with 200 would be taken for one. */
  async #shell(url: URL): Promise<string> {
    for (let attempt = 0; attempt < 2; attempt++) {
      const shell = await this.env.ASSETS.fetch(new Request(new URL('/index.html', url)))
      const html = await shell.text()
      if (html.trimEnd().endsWith('</html>')) return html
    }
    throw new Error("the app's document did not come whole")
  }

  /** A page opens also while the database is away: its own calls say what is wrong. */
  async #publicMemorial(pathname: string): Promise<Awaited<ReturnType<typeof findPublicPage>>> {
    const slug = PUBLIC_MEMORIAL.exec(pathname)?.[1]
    if (slug === undefined) return null
    const { db, log } = this.#context()
    try {
      return await findPublicPage(db, slug)
    } catch (error) {
      log.error('search_engines_unknown', error)
      return null
    }
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

/** https://developers.cloudflare.com/workers/cache/purge/ */
type Purgeable = { purge: (options: { tags: string[] }) => Promise<{ success: boolean; errors?: unknown }> }

function isPurgeable(cache: unknown): cache is Purgeable {
  return typeof cache === 'object' && cache !== null && 'purge' in cache && typeof cache.purge === 'function'
}
