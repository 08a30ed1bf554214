import { sql, type SQL } from 'drizzle-orm'
import { SITEMAP_PAGE } from '#shared/limits.ts'
import { SERVICE_TITLES } from '#shared/pages/page-titles.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { escapeHtml } from '#worker/platform/escape.ts'

const SITEMAP_PATH = '/sitemap.xml'
/** The service pages, or the memorials from the one with this publication time and id. */
const PAGE_PATH = /^\/sitemaps\/(?:(service)|(\d{1,15})-(mem_[a-z0-9]{1,40}))\.xml$/u
/** Nothing purges sitemaps: an unlisted memorial stays in them for at most this time. */
const CACHE = 'public, max-age=300'
const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9'

type Position = { lockedAt: number; id: string }

/**
 * Serves the sitemap at this path (https://www.sitemaps.org/protocol.html), or null: the index, the service pages, or
 * up to 5,000 public memorials whose owners allow search engines, in the order of publication.
 */
export async function findSitemap(ctx: Ctx, pathname: string): Promise<Response | null> {
  const { PUBLIC_ORIGIN: origin } = ctx.env
  if (pathname === SITEMAP_PATH) {
    const names = ['service', ...(await memorialFiles(ctx))]
    return xml(
      'sitemapindex',
      'sitemap',
      names.map((name) => ({ loc: `${origin}/sitemaps/${name}.xml` })),
    )
  }
  const match = PAGE_PATH.exec(pathname)
  if (!match) return null
  if (match[1])
    return xml(
      'urlset',
      'url',
      Object.keys(SERVICE_TITLES).map((path) => ({ loc: origin + path })),
    )
  const page = await listFrom(ctx, { lockedAt: Number(match[2]), id: match[3] ?? '' })
  return page.length === 0 ? null : xml('urlset', 'url', page)
}

/** Names of the memorial files, each starting where the previous one ends. Walks over every listed memorial. */
async function memorialFiles(ctx: Ctx): Promise<string[]> {
  const starts: Position[] = []
  for (let next = await findPosition(ctx, { lockedAt: 0, id: '' }, 0); next;) {
    starts.push(next)
    next = await findPosition(ctx, next, SITEMAP_PAGE)
  }
  return starts.map(({ lockedAt, id }) => `${lockedAt}-${id}`)
}

async function findPosition({ db }: Ctx, from: Position, offset: number): Promise<Position | null> {
  const [found] =
    await db.all<Position>(sql`select ${memorials.lockedAt} as "lockedAt", ${memorials.id} as "id"
    from ${listedFrom(from)} limit 1 offset ${offset}`)
  return found ?? null
}

async function listFrom({ db, env }: Ctx, from: Position): Promise<Entry[]> {
  const rows = await db.all<{ slug: string; updatedAt: number }>(
    sql`select ${memorials.slug} as "slug", ${memorials.updatedAt} as "updatedAt"
      from ${listedFrom(from)} limit ${SITEMAP_PAGE}`,
  )
  return rows.map(({ slug, updatedAt }) => ({
    loc: `${env.PUBLIC_ORIGIN}/m/${slug}`,
    lastmod: new Date(updatedAt).toISOString(),
  }))
}

/** SQL: listed memorials from this one on. SQLite would choose another index and read every memorial. */
function listedFrom({ lockedAt, id }: Position): SQL {
  return sql`${memorials} indexed by memorials_listed
    where ${memorials.privacy} = 'LOCKED' and ${memorials.status} = 'ACTIVE' and ${memorials.allowSearchEngines} = 1
      and (${memorials.lockedAt}, ${memorials.id}) >= (${lockedAt}, ${id})
    order by ${memorials.lockedAt}, ${memorials.id}`
}

type Entry = { loc: string; lastmod?: string }

function xml(root: string, element: string, entries: Entry[]): Response {
  const lines = entries.map((entry) => {
    const fields = Object.entries(entry).map(([name, value]) => `<${name}>${escapeHtml(value)}</${name}>`)
    return `<${element}>${fields.join('')}</${element}>`
  })
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="${NAMESPACE}">\n${lines.join('\n')}\n</${root}>\n`
  return new Response(text, {
    headers: {
      'Content-Type': 'application/xml; charset=utf-8',
      'Cache-Control': CACHE,
      'Cloudflare-CDN-Cache-Control': CACHE,
    },
  })
}
