import { and, eq, gt, inArray, isNotNull, isNull, ne, sql, type SQL } from 'drizzle-orm'
import { fieldError } from '#shared/errors.ts'
import { followMessages } from '#shared/memorials/follow-messages.ts'
import type { FollowInput } from '#shared/memorials/follow.ts'
import { FOLLOW_CONFIRM_MS } from '#shared/limits.ts'
import { maySeeStill } from '#worker/access/followers.ts'
import { networkOf } from '#worker/access/guards.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'
import { isLinkToken, linkToken, networkHash } from '#worker/access/pepper.ts'
import { mailboxKey } from '#worker/platform/mailbox-key.ts'
import { nextMorning } from '#worker/features/followers/mornings.ts'
import { afterAnswer, type Ctx, type RequestCtx } from '#worker/platform/ctx.ts'
import { countRows, existsIn, insertWhere } from '#worker/platform/db.ts'
import { enqueueMail, insertMailWhere } from '#worker/platform/providers/mail.ts'
import { newId } from '#worker/platform/random.ts'
import { countRateLimit, requireRateLimit } from '#worker/platform/rate-limiter.ts'
import { followers } from '#worker/schema/followers.table.ts'
import { funeralEvents } from '#worker/schema/funeral.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

/** Where most memorials are. */
const USUAL_ZONE = 'Africa/Harare'

/** SQL: the time zone of the memorial of the enclosing statement: of its first gathering. */
export function timeZoneOf() {
  return sql<string>`coalesce((select ${funeralEvents.timeZone} from ${funeralEvents}
    where ${funeralEvents.memorialId} = ${memorials.id} order by ${funeralEvents.position} limit 1), ${USUAL_ZONE})`
}

/**
 * Mails a question to this address, whether it wants mails about the memorial. Everything that depends on the address happens after the answer.
 * `inviteToken`: by which the asker sees the memorial. Throws `too_many_requests`, and `bad_input` if nothing is chosen.
 */
export async function askToFollow(
  ctx: RequestCtx,
  { memorial }: MemorialAccess,
  inviteToken: string | null,
  input: FollowInput,
): Promise<void> {
  if (!input.news && !input.birthday && !input.passing)
    throw fieldError('bad_input', 'news', followMessages.chooseOne)
  const network = networkHash(ctx, networkOf(ctx.ip, 3))
  await requireRateLimit(ctx, 'follows', `${memorial.id} ${network}`, followMessages.manyAsks)
  await requireRateLimit(ctx, 'followsOfNetwork', network, followMessages.manyAsks)
  await requireRateLimit(ctx, 'followsOfMemorial', memorial.id, followMessages.manyAsks)
  afterAnswer(ctx, 'mail_question', () => mailQuestion(ctx, memorial.id, inviteToken, input))
}

async function mailQuestion(
  ctx: Ctx,
  memorialId: string,
  inviteToken: string | null,
  { email, news, birthday, passing }: FollowInput,
): Promise<void> {
  if (await isTooMuchMail(ctx, memorialId, email)) return
  const now = ctx.now()
  const row = {
    id: newId('follower'),
    memorialId,
    email,
    inviteToken,
    wantsNews: news === true,
    wantsBirthday: birthday === true,
    wantsPassing: passing === true,
    newsSince: now,
    toldSince: now,
    createdAt: now,
  }
  const isAsked = existsIn(followers, eq(followers.id, row.id))
  const mail = insertMailWhere(ctx, { kind: 'follow-confirm', recipient: email, subjectId: row.id }, isAsked)
  const isThere = existsIn(memorials, eq(memorials.id, memorialId))
  const [, mailed] = await ctx.db.batch([
    insertWhere(ctx.db, followers, row, isThere),
    mail.statement.returning({ id: mails.id }),
  ])
  if (mailed.length > 0) await enqueueMail(ctx, mail.id)
}

/** Counts a question to this mailbox. A stranger must not be able to fill it. */
async function isTooMuchMail(ctx: Ctx, memorialId: string, email: string): Promise<boolean> {
  const mailbox = mailboxKey(email)
  return (
    (await countRateLimit(ctx, 'followMails', `${memorialId} ${mailbox}`)) > 0 ||
    (await countRateLimit(ctx, 'followMailsToMailbox', mailbox)) > 0
  )
}

/** The token of the link that confirms, or ends, the mails to a follower. Nobody can make it without the pepper. */
export function followerToken(ctx: Ctx, kind: 'follow' | 'unfollow', id: string, email: string): string {
  return `${id}.${linkToken(ctx, kind, id, email)}`
}

async function findByToken(ctx: Ctx, kind: 'follow' | 'unfollow', token: string) {
  const [id = '', given = ''] = token.split('.')
  const [row] = await ctx.db
    .select({
      id: followers.id,
      memorialId: followers.memorialId,
      email: followers.email,
      confirmedAt: followers.confirmedAt,
      timeZone: timeZoneOf(),
    })
    .from(followers)
    .innerJoin(memorials, eq(memorials.id, followers.memorialId))
    .where(eq(followers.id, id))
  // prove: follower-needs-token
  return row && isLinkToken(ctx, given, kind, id, row.email) ? row : null
}

/** Whether mails go there from now on. Takes the place of what this address chose earlier. Safe to repeat. */
export async function confirmFollower(ctx: Ctx, token: string): Promise<boolean> {
  const found = await findByToken(ctx, 'follow', token)
  if (!found) return false
  if (found.confirmedAt !== null) return true
  const { id, memorialId, email, timeZone } = found
  const now = ctx.now()
  const isOpen = and(
    eq(followers.id, id),
    isNull(followers.confirmedAt),
    /* prove: follow-link-expires */ gt(followers.createdAt, now - FOLLOW_CONFIRM_MS),
  )
  const isEarlier = and(
    eq(followers.memorialId, memorialId),
    eq(followers.email, email),
    isNotNull(followers.confirmedAt),
    ne(followers.id, id),
    sql`exists (select 1 from ${followers} as "asked" where "asked"."id" = ${id} and "asked"."confirmed_at" is null
      and "asked"."created_at" > ${now - FOLLOW_CONFIRM_MS})`,
  )
  const [, , confirmed] = await ctx.db.batch([
    ...forgetFollowers(ctx, isEarlier),
    ctx.db
      .update(followers)
      .set({ confirmedAt: now, newsSince: now, toldSince: now, lookAt: nextMorning(timeZone, now) })
      .where(isOpen)
      .returning({ id: followers.id }),
  ])
  return confirmed.length > 0
}

/** Statements: forgets these followers, with the mails to them. */
export function forgetFollowers({ db }: Ctx, which: SQL | undefined) {
  const ids = db.select({ id: followers.id }).from(followers).where(which)
  return [db.delete(mails).where(inArray(mails.subjectId, ids)), db.delete(followers).where(which)] as const
}

/** Ends the mails to a follower, and forgets the address. Says nothing of whether the token was right. Safe to repeat. */
export async function endFollowing(ctx: Ctx, token: string): Promise<void> {
  const found = await findByToken(ctx, 'unfollow', token)
  if (found) await ctx.db.batch([...forgetFollowers(ctx, eq(followers.id, found.id))])
}

/** How many people get mails about a memorial. */
export async function countFollowers(ctx: Ctx, memorialId: string): Promise<number> {
  const isOne = and(eq(followers.memorialId, memorialId), isNotNull(followers.confirmedAt))
  const [counted] = await countRows(ctx.db, followers, isOne)
  return counted?.amount ?? 0
}

/** A follower who confirmed, with the memorial, if they may still see it; else null. For the mail that is about to be sent to them. */
export async function findReader(ctx: Ctx, id: string, recipient: string) {
  const [found] = await ctx.db
    .select({ follower: followers, memorial: memorials, timeZone: timeZoneOf() })
    .from(followers)
    .innerJoin(memorials, eq(memorials.id, followers.memorialId))
    .where(
      and(
        eq(followers.id, id),
        eq(followers.email, recipient),
        /* prove: mail-to-who-may-see */ maySeeStill(),
      ),
    )
  return found ?? null
}
