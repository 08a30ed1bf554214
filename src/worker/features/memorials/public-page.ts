import { eq, fillPlaceholders, sql, type Placeholder } from 'drizzle-orm'
import type { Media } from '#shared/media.ts'
import type { PublicMemorialView } from '#shared/memorials.ts'
import type { Ctx } from '#worker/ctx.ts'
import { selectMediaRow, toMedia, toMediaRow } from '#worker/features/media/media.ts'
import { decideAccess } from '#worker/features/memorials/access.ts'
import {
  findMemorialBySlug,
  memorialColumns,
  type MemorialAccess,
  type MemorialRow,
} from '#worker/features/memorials/memorial-access.ts'
import { memorials } from '#worker/features/memorials/memorials.table.ts'
import { named, selectPublicView, toPublicView } from '#worker/features/memorials/memorial-view.ts'
import { dbOfResults } from '#worker/platform/db.ts'

/** What the address of a public page asks for: cursors of its lists, and the id of a photograph to show alone. */
type Places = { media: string | null; comments: string | null; photo: string | null }
export type PublicPage = { view: PublicMemorialView; photo: Media | null }

const NOBODY = { user: null, contributor: null, hasInvite: false }

/** What a stranger may do with it; null where a stranger sees nothing. */
function publicAccess(memorial: MemorialRow): MemorialAccess | null {
  if (memorial.status !== 'ACTIVE') return null
  const access = decideAccess(NOBODY, memorial)
  return access.canView ? { memorial, contributor: null, access } : null
}

/**
 * A public memorial as a stranger sees it, or null where a stranger sees nothing. The lists begin after the cursors; text
 * that is no cursor begins at the start. `photo` is the photograph asked for, null where this memorial has no such. Two
 * round trips.
 */
export async function readPublicPage(ctx: Ctx, slug: string, places: Places): Promise<PublicPage | null> {
  const memorial = await findMemorialBySlug(ctx, slug)
  const access = memorial && publicAccess(memorial)
  if (!access) return null
  const [[asked], ...found] = await ctx.db.batch([
    selectMediaRow(ctx, places.photo ?? ''),
    ...selectPublicView(ctx, named(memorial), {
      actorId: null,
      media: places.media,
      comments: places.comments,
    }),
  ])
  const photo = asked && toMediaRow(asked)
  const isShown = photo?.memorialId === memorial.id && photo.type === 'IMAGE'
  return { view: toPublicView(access, found), photo: isShown ? toMedia(photo, access) : null }
}

/** Statements as the database takes them; a value is a placeholder where the slug goes. */
type Statement = { sql: string; params: unknown[] }

/** Built once: to build them takes longer than to run them. */
let firstPage: Statement[] | null = null

/**
 * What the database holds of all that {@link readPublicPage} shows at the start of all lists. `text`: the same text, the same
 * page. Of a memorial in whatever state.
 */
export type PublicRows = { text: string; found: D1Result[] }

/** For {@link pageOfRows}. One round trip. */
export async function readPublicRows(ctx: Ctx, slug: string): Promise<PublicRows> {
  firstPage ??= selectFirstPage(ctx, sql.placeholder('slug')).map((statement) => statement.toSQL())
  const { $client: client } = ctx.db
  const statements = firstPage.map(({ sql: text, params }) =>
    client.prepare(text).bind(...fillPlaceholders(params, { slug })),
  )
  const found = await client.batch(statements)
  return { text: JSON.stringify(found.map(({ results }) => results)), found }
}

/** The page that these rows are: as {@link readPublicPage}, and asks nobody. */
export async function pageOfRows(ctx: Ctx, { found }: PublicRows): Promise<PublicPage | null> {
  const read: Ctx = { ...ctx, db: dbOfResults(found) }
  const [[memorial], ...below] = await read.db.batch(selectFirstPage(read, ''))
  const access = memorial && publicAccess(memorial)
  return access ? { view: toPublicView(access, below), photo: null } : null
}

/** A memorial and all that is below it, by its slug. */
function selectFirstPage(ctx: Ctx, slug: string | Placeholder) {
  const id = sql`(select ${memorials.id} from ${memorials} where ${memorials.slug} = ${slug})`
  const portraitId = sql`(select coalesce(${memorials.profileMediaId}, ${memorials.coverMediaId})
    from ${memorials} where ${memorials.slug} = ${slug})`
  const start = { actorId: null, media: null, comments: null }
  return [
    ctx.db.select(memorialColumns(ctx.db)).from(memorials).where(eq(memorials.slug, slug)),
    ...selectPublicView(ctx, { id, portraitId }, start),
  ] as const
}
