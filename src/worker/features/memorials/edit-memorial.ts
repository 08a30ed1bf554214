import { and, eq, ne, sql, type SQL, or } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import type { Memorial, UpdateMemorialInput, Privacy } from '#shared/memorials/memorials.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { recordAction } from '#worker/access/audit.ts'
import { media, resumableUploads } from '#worker/schema/media.table.ts'
import {
  coverWith,
  DATE_NAMES,
  datesAfter,
  requireDatesInOrder,
  nextUpdatedAt,
  toMemorial,
} from '#worker/features/memorials/memorials.ts'
import { attachCredit } from '#worker/features/payments/credits.ts'
import { LIFE_STORY_VERSION, sanitizeLifeStory } from '#worker/features/memorials/life-story.ts'
import {
  findMemorial,
  type MemorialAccess,
  type MemorialRow,
  isPaid,
  isStillEditor,
  visitorsLink,
} from '#worker/access/memorial-access.ts'
import { dueAt } from '#worker/features/memorials/tell-owner.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { queueCachePurge, schedulePurge } from '#worker/platform/edge-cache.ts'
import { existsIn } from '#worker/platform/db.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { count } from '#worker/platform/metrics.ts'
import { dropReservations, expireClosedUploads } from '#worker/features/quota/quota.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

/**
 * Changes the given texts and settings of a memorial. Throws `bad_input` (dates that conflict with the stored other
 * date, media of another memorial, a story too long) and `edited_elsewhere` if `updatedAt` is outdated. The write
 * itself checks all of this, so two editors never silently overwrite each other.
 */
export async function updateMemorial(
  ctx: Ctx,
  found: MemorialAccess,
  input: UpdateMemorialInput,
): Promise<Memorial> {
  const { memorial } = found
  const { updatedAt: expectedUpdatedAt, lifeStory, ...given } = input
  const dates = datesAfter(memorial, input)
  requireDatesInOrder(ctx, dates)
  const columns = { ...given, ...(changesDates(input) && dates), ...storyColumns(lifeStory) }
  const isTarget = eq(memorials.id, memorial.id)
  const hidesLocation = input.showLocation === false
  const isWritable = and(
    isTarget,
    isStillEditor(found),
    expectedUpdatedAt === undefined
      ? undefined
      : eq(memorials.updatedAt, Date.parse(expectedUpdatedAt) || -1),
    isOtherDateUnchanged(memorial, input),
    isOwnImage(memorial.id, input.coverMediaId),
    isOwnImage(memorial.id, input.profileMediaId),
  )
  const [purgeTags, , [changed]] = await ctx.db.batch([
    queueCachePurge(ctx, isTarget, { urgent: hidesLocation }),
    recordAction(ctx, found, { action: 'edit_memorial' }, existsIn(memorials, isWritable)),
    ctx.db
      .update(memorials)
      .set({
        ...columns,
        ...(input.profileMediaId !== undefined &&
          input.coverMediaId === undefined && { coverMediaId: coverWith(input.profileMediaId) }),
        // What is due is due by the new rule; nothing after NEVER.
        ...(input.tellOwner && {
          tellAt: sql`iif(${memorials.tellAt} is null, null, ${dueAt(ctx, input.tellOwner)})`,
        }),
        updatedAt: nextUpdatedAt(ctx),
      })
      .where(isWritable)
      .returning({ id: memorials.id }),
  ])
  if (hidesLocation) await schedulePurge(ctx, purgeTags)
  const row = await findMemorial(ctx, memorial.id)
  if (!changed && !isAlreadyWritten(row, columns)) {
    throw await findRefusal(ctx, memorial.id, input)
  }
  if (!row) throw new AppError('not_found', messages.memorial.notFound)
  return toMemorial(row)
}

function storyColumns(html: string | null | undefined) {
  if (html === undefined) return {}
  const lifeStory = html === null ? null : sanitizeLifeStory(html)
  return { lifeStory, lifeStoryVersion: lifeStory === null ? 0 : LIFE_STORY_VERSION }
}

/** True if the row already has the wanted values: the client repeated a call whose response was lost. */
function isAlreadyWritten(row: MemorialRow | null, wanted: Record<string, unknown>): boolean {
  const given = Object.entries(wanted).filter(([, value]) => value !== undefined)
  return row !== null && given.length > 0 && given.every(([name, value]) => Reflect.get(row, name) === value)
}

function changesDates(input: UpdateMemorialInput): boolean {
  return DATE_NAMES.flat().some((name) => input[name] !== undefined)
}

/** SQL: the date that this write doesn't change is still the one that the new date was checked against. */
function isOtherDateUnchanged(memorial: MemorialRow, input: UpdateMemorialInput): SQL | undefined {
  if (!changesDates(input)) return undefined
  const kept = DATE_NAMES.filter(([date]) => input[date] === undefined).flat()
  return and(...kept.map((name) => sql`${memorials[name]} is ${memorial[name]}`))
}

function isOwnImage(memorialId: string, mediaId: string | null | undefined): SQL | undefined {
  if (mediaId === undefined || mediaId === null) return undefined
  return existsIn(
    media,
    and(
      eq(media.id, mediaId),
      eq(media.memorialId, memorialId),
      eq(media.type, 'IMAGE'),
      /* prove: held-is-no-cover */ eq(media.isHeld, false),
    ),
  )
}

/** Finds why the write was refused: a photo of another memorial, or else another editor. */
async function findRefusal(ctx: Ctx, memorialId: string, input: UpdateMemorialInput): Promise<AppError> {
  const fields: Record<string, string> = {}
  for (const name of ['coverMediaId', 'profileMediaId'] as const) {
    const isTarget = isOwnImage(memorialId, input[name])
    if (!isTarget) continue
    const [found] = await ctx.db
      .select({ one: sql`1` })
      .from(memorials)
      .where(and(eq(memorials.id, memorialId), isTarget))
    if (!found) fields[name] = serverMessages.memorial.mediaNotHere
  }
  return Object.keys(fields).length > 0
    ? new AppError('bad_input', serverMessages.memorial.mediaNotHere, { fields })
    : new AppError('edited_elsewhere', messages.memorial.editedElsewhere)
}

/** Finds why privacy wasn't changed: the memorial isn't paid for, or else its keeper was removed meanwhile. */
async function findPrivacyRefusal(ctx: Ctx, memorialId: string, privacy: Privacy): Promise<AppError> {
  const row = await findMemorial(ctx, memorialId)
  return privacy === 'PRIVATE' || row?.isPaid
    ? new AppError('forbidden', messages.memorial.ownerOnly)
    : new AppError('payment_required', messages.payment.required)
}

/**
 * The only place that changes privacy. `lockedAt` is set exactly while privacy is LOCKED. INVITE and LOCKED need a paid
 * memorial, which the write itself checks: an unpaid one uses a credit of its owner, or else throws `payment_required`.
 * Not when an admin calls, because the owner may mean the credit for another memorial. PRIVATE ends all contributor sessions;
 * PRIVATE and LOCKED end what contributors are sending.
 */
export async function changePrivacy(ctx: Ctx, found: MemorialAccess, privacy: Privacy): Promise<Memorial> {
  const { memorial } = found
  const isTarget = eq(memorials.id, memorial.id)
  const isEditor = isStillEditor(found)
  const isAllowed = and(
    isTarget,
    or(sql`${privacy} = 'PRIVATE'`, isPaid()),
    /* prove: privacy-needs-keeper */ isEditor,
  )
  const audit = { action: 'change_privacy', detail: { before: memorial.privacy, after: privacy } } as const
  const isSharing = privacy !== 'PRIVATE' && found.role === 'OWNER'
  const [, , purgeTags, , [changed]] = await ctx.db.batch([
    // First: the conditions below need a memorial that is paid for.
    ...attachCredit(ctx, memorial, isSharing),
    queueCachePurge(ctx, and(isTarget, sql`${privacy} <> 'LOCKED'`), { urgent: true }),
    recordAction(ctx, found, audit, existsIn(memorials, isAllowed)),
    ctx.db
      .update(memorials)
      .set({
        privacy,
        lockedAt: privacy === 'LOCKED' ? sql`coalesce(${memorials.lockedAt}, ${ctx.now()})` : null,
        updatedAt: nextUpdatedAt(ctx),
      })
      .where(isAllowed)
      .returning({ id: memorials.id }),
    // When a memorial is published again, pages cached while it was public before must not reappear.
    queueCachePurge(ctx, isTarget, { urgent: false }),
    // Contributors have to open their invitation again after the memorial has been private.
    ctx.db
      .update(contributors)
      .set({ tokenHash: null })
      .where(
        and(
          eq(contributors.memorialId, memorial.id),
          // Visitors can always take their words back.
          ne(contributors.inviteToken, visitorsLink(memorial.id)),
          sql`${privacy} = 'PRIVATE'`,
          /* prove: removed-keeper-ends-no-sessions */ isEditor,
        ),
      ),
    expireClosedUploads(ctx, eq(resumableUploads.memorialId, memorial.id)),
  ])
  await schedulePurge(ctx, purgeTags)
  if (!changed) throw await findPrivacyRefusal(ctx, memorial.id, privacy)
  if (privacy === 'LOCKED' && memorial.privacy !== 'LOCKED') count(ctx, 'memorial_published')
  const row = await findMemorial(ctx, memorial.id)
  if (!row) throw new AppError('not_found', messages.memorial.notFound)
  if (privacy !== 'INVITE') await dropReservations(ctx, memorial.id)
  return toMemorial(row)
}
