import type { User } from '#shared/accounts.ts'
import { and, asc, eq, gt, or, type SQL } from 'drizzle-orm'
import { AGE_MIN, EXPORT_PAGE } from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { listServices } from '#worker/features/funeral/funeral.ts'
import { contributors, inviteTokens } from '#worker/schema/invites.table.ts'
import { locations } from '#worker/schema/location.table.ts'
import { media } from '#worker/schema/media.table.ts'
import { lifeStoryForReading } from '#worker/features/memorials/life-story.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { publicLink } from '#worker/features/memorials/slug.ts'
import { listPayments } from '#worker/features/payments/payments.ts'
import { contentDisposition } from '#worker/platform/file-names.ts'

type MemorialRow = typeof memorials.$inferSelect

/**
 * Everything that we hold of a person, as a JSON file: account, consent, payments, and each memorial with its texts, place,
 * services, link, media and messages. Of others it says what stands on the page: their name, never their address. A
 * memorial that an admin removed is named, not told. Written a page at a time, so memory does not grow with it.
 */
export function accountDownload(ctx: Ctx, user: User): Response {
  const parts = accountParts(ctx, user)
  const text = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await parts.next()
      if (done) controller.close()
      else controller.enqueue(text.encode(value))
    },
  })
  const name = `my-account-${new Date(ctx.now()).toISOString().slice(0, 10)}.json`
  return new Response(body, {
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Disposition': contentDisposition('attachment', name),
      'Cache-Control': 'private, no-store',
    },
  })
}

async function* accountParts(ctx: Ctx, { id }: User): AsyncGenerator<string> {
  const [row] = await ctx.db.select().from(users).where(eq(users.id, id))
  if (!row) return
  const { email, firstName, lastName, createdAt, emailVerifiedAt, termsVersion, termsAcceptedAt } = row
  yield opened({
    exportedAt: instant(ctx.now()),
    account: {
      id,
      email,
      firstName,
      lastName,
      createdAt: instant(createdAt),
      emailConfirmedAt: instant(emailVerifiedAt),
    },
    consent: {
      terms: `${ctx.env.PUBLIC_ORIGIN}/terms`,
      termsVersion,
      acceptedAt: instant(termsAcceptedAt),
      statedAge: `${AGE_MIN} or older`,
    },
    payments: await listPayments(ctx, id),
  })
  yield ',"memorials":['
  const own = await ctx.db
    .select()
    .from(memorials)
    .where(eq(memorials.ownerId, id))
    .orderBy(asc(memorials.createdAt), asc(memorials.id))
  for (const [at, memorial] of own.entries()) {
    if (at > 0) yield ','
    yield* memorialParts(ctx, memorial)
  }
  yield ']}\n'
}

async function* memorialParts(ctx: Ctx, row: MemorialRow): AsyncGenerator<string> {
  const { id, status, honoureeFullName } = row
  const head = { id, status, honoureeFullName, createdAt: instant(row.createdAt) }
  if (status === 'REMOVED') {
    yield JSON.stringify(head)
    return
  }
  const [location] = await ctx.db.select().from(locations).where(eq(locations.memorialId, id))
  const [invite] = await ctx.db
    .select({ token: inviteTokens.token })
    .from(inviteTokens)
    .where(and(eq(inviteTokens.memorialId, id), eq(inviteTokens.status, 'ASSIGNED')))
  yield opened({
    ...head,
    updatedAt: instant(row.updatedAt),
    deletedAt: instant(row.deletedAt),
    title: row.title,
    dateOfBirth: row.dateOfBirth,
    dateOfDeath: row.dateOfDeath,
    lifeStory: lifeStoryForReading(row.lifeStory, row.lifeStoryVersion),
    privacy: row.privacy,
    publicSince: instant(row.lockedAt),
    showLocation: row.showLocation,
    allowSearchEngines: row.allowSearchEngines,
    publicLink: publicLink(ctx, row),
    inviteLink: invite ? `${ctx.env.PUBLIC_ORIGIN}/invite/${invite.token}` : null,
    location: location
      ? { label: location.label, latitude: location.latitude, longitude: location.longitude }
      : null,
    services: await listServices(ctx, id),
  })
  yield ',"media":['
  yield* listed((after) => mediaPage(ctx, row, after))
  yield '],"messages":['
  yield* listed((after) => messagePage(ctx, row, after))
  yield ']}'
}

type Paged = { at: number; id: string; shown: object }

/** Every row of a list as JSON with commas between, page by page. */
async function* listed(pageAfter: (last: Paged | null) => Promise<Paged[]>): AsyncGenerator<string> {
  let last: Paged | null = null
  for (;;) {
    const page: Paged[] = await pageAfter(last)
    if (page.length > 0) yield (last ? ',' : '') + page.map(({ shown }) => JSON.stringify(shown)).join(',')
    last = page.at(-1) ?? null
    if (page.length < EXPORT_PAGE) return
  }
}

async function mediaPage(ctx: Ctx, memorial: MemorialRow, last: Paged | null): Promise<Paged[]> {
  const rows = await ctx.db
    .select({ row: media, contributorName: contributors.displayName })
    .from(media)
    .leftJoin(contributors, eq(contributors.id, media.contributorId))
    .where(and(eq(media.memorialId, memorial.id), isAfter(media, last)))
    .orderBy(asc(media.createdAt), asc(media.id))
    .limit(EXPORT_PAGE)
  return rows.map(({ row, contributorName }) => ({
    at: row.createdAt,
    id: row.id,
    shown: {
      id: row.id,
      type: row.type,
      fileName: row.originalFileName,
      size: row.size,
      caption: row.caption,
      alternativeText: row.alt,
      addedBy: contributorName,
      createdAt: instant(row.createdAt),
      link: `${ctx.env.PUBLIC_ORIGIN}/media/stream/${row.id}?original=1`,
    },
  }))
}

async function messagePage(ctx: Ctx, memorial: MemorialRow, last: Paged | null): Promise<Paged[]> {
  const rows = await ctx.db
    .select({ row: comments, contributorName: contributors.displayName })
    .from(comments)
    .leftJoin(contributors, eq(contributors.id, comments.authorContributorId))
    .where(and(eq(comments.memorialId, memorial.id), isAfter(comments, last)))
    .orderBy(asc(comments.createdAt), asc(comments.id))
    .limit(EXPORT_PAGE)
  return rows.map(({ row, contributorName }) => ({
    at: row.createdAt,
    id: row.id,
    shown: {
      id: row.id,
      body: row.body,
      writtenBy: contributorName,
      isYours: row.authorUserId === memorial.ownerId,
      createdAt: instant(row.createdAt),
    },
  }))
}

function isAfter(table: typeof media | typeof comments, last: Paged | null): SQL | undefined {
  if (!last) return undefined
  return or(gt(table.createdAt, last.at), and(eq(table.createdAt, last.at), gt(table.id, last.id)))
}

/** A JSON object whose last brace is still to come. */
function opened(value: object): string {
  return JSON.stringify(value).slice(0, -1)
}

function instant(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}
