import { and, asc, eq, inArray, isNotNull, isNull, lte, sql, type SQL } from 'drizzle-orm'
import { FOLLOW_CONFIRM_MS, FOLLOWER_PAGES_MAX, FOLLOWERS_BATCH, NEWS_EVERY_MS } from '#shared/limits.ts'
import { hasLiveInvite, maySeeStill } from '#worker/access/followers.ts'
import { isShown, type ItemTable } from '#worker/access/held.ts'
import { forgetFollowers, timeZoneOf } from '#worker/features/followers/followers.ts'
import { dayIn, isAnniversary, nextMorning } from '#worker/features/followers/mornings.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { mailColumns } from '#worker/platform/providers/mail.ts'
import { newId } from '#worker/platform/random.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { followers } from '#worker/schema/followers.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { media } from '#worker/schema/media.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

type Dates = Pick<
  typeof memorials.$inferSelect,
  'dateOfBirth' | 'dateOfBirthPrecision' | 'dateOfDeath' | 'dateOfDeathPrecision'
>
type Wishes = Pick<typeof followers.$inferSelect, 'wantsBirthday' | 'wantsPassing'>

/** Which of the days that a follower chose returns on this day (`2026-06-02`). A date that isn't known to the day never does. */
export function daysOn(
  day: string,
  wishes: Wishes,
  dates: Dates,
): { isBirthday: boolean; isPassing: boolean } {
  const { dateOfBirth: born, dateOfDeath: died } = dates
  return {
    isBirthday:
      wishes.wantsBirthday &&
      born !== null &&
      dates.dateOfBirthPrecision === 'DAY' &&
      isAnniversary(born, day),
    isPassing:
      wishes.wantsPassing &&
      died !== null &&
      dates.dateOfDeathPrecision === 'DAY' &&
      isAnniversary(died, day),
  }
}

/**
 * Looks, once each morning where the memorial is, whether there is something to write to a follower: what was added in a week or more, or one of their days. A
 * bounded number per run, longest due first; safe to repeat, run concurrently or kill: the batch that writes the mails also notes it.
 */
export async function writeToFollowers(ctx: Ctx): Promise<void> {
  for (let page = 0; page < FOLLOWER_PAGES_MAX; page++) {
    if ((await lookAtPage(ctx)) < FOLLOWERS_BATCH) return
  }
}

/** SQL condition: everybody who may see the memorial sees something that came after `newsSince`. */
function hasNews(table: ItemTable): SQL {
  return sql`exists (select 1 from ${table} where ${table.memorialId} = ${memorials.id}
    and ${table.createdAt} > ${followers.newsSince} and ${isShown(table)})`
}

async function lookAtPage(ctx: Ctx): Promise<number> {
  const now = ctx.now()
  const isNewsDue = sql`(${followers.wantsNews} = 1 and ${followers.newsSince} <= ${now - NEWS_EVERY_MS})`
  const due = await ctx.db
    .select({
      id: followers.id,
      lookAt: followers.lookAt,
      wantsBirthday: followers.wantsBirthday,
      wantsPassing: followers.wantsPassing,
      dateOfBirth: memorials.dateOfBirth,
      dateOfBirthPrecision: memorials.dateOfBirthPrecision,
      dateOfDeath: memorials.dateOfDeath,
      dateOfDeathPrecision: memorials.dateOfDeathPrecision,
      timeZone: timeZoneOf(),
      maySee: sql<boolean>`${maySeeStill()}`.mapWith(Boolean),
      // Another one is never theirs: nobody has to keep their address.
      isOver:
        sql<boolean>`(${isNotNull(followers.inviteToken)} and not ${hasLiveInvite()} and ${memorials.privacy} <> 'LOCKED')`.mapWith(
          Boolean,
        ),
      hasNews: sql<boolean>`(${isNewsDue} and (${hasNews(media)} or ${hasNews(comments)}))`.mapWith(Boolean),
    })
    .from(followers)
    .innerJoin(memorials, eq(memorials.id, followers.memorialId))
    .where(and(isNotNull(followers.lookAt), lte(followers.lookAt, now)))
    .orderBy(asc(followers.lookAt), asc(followers.id))
    .limit(FOLLOWERS_BATCH)
  if (due.length === 0) return 0
  const looks = due.map((one) => {
    const { isBirthday, isPassing } = daysOn(dayIn(one.timeZone, now), one, one)
    return {
      id: one.id,
      lookAt: one.lookAt,
      next: nextMorning(one.timeZone, now),
      digest: one.maySee && one.hasNews ? newId('mail') : null,
      day: one.maySee && (isBirthday || isPassing) ? newId('mail') : null,
    }
  })
  const over = due.filter(({ isOver }) => isOver).map(({ id }) => id)
  await writePage(ctx, looks, over)
  return due.length
}

type Look = { id: string; lookAt: number | null; next: number; digest: string | null; day: string | null }

async function writePage(ctx: Ctx, looks: Look[], over: string[]): Promise<void> {
  const json = JSON.stringify(looks)
  const found = sql`(select value from json_each(${json}) where value ->> 'id' = ${followers.id} and value ->> 'lookAt' = ${followers.lookAt})`
  const isFound = sql`${followers.id} in (select value ->> 'id' from json_each(${json})) and exists ${found}`
  await ctx.db.batch([
    insertMails(ctx, json, 'digest'),
    insertMails(ctx, json, 'day'),
    ctx.db
      .update(followers)
      .set({
        toldSince: sql`iif(${found} ->> 'digest' is null, ${followers.toldSince}, ${followers.newsSince})`,
        newsSince: sql`iif(${found} ->> 'digest' is null, ${followers.newsSince}, ${ctx.now()})`,
        lookAt: sql`${found} ->> 'next'`,
      })
      .where(isFound),
    ...forgetFollowers(
      ctx,
      inArray(followers.id, sql`(select value from json_each(${JSON.stringify(over)}))`),
    ),
  ])
}

/** Statement: the mails of one kind to those whom no other run has written to meanwhile. */
function insertMails(ctx: Ctx, json: string, which: 'digest' | 'day') {
  const mail = sql`json_each.value ->> ${which}`
  return ctx.db.insert(mails).select(
    ctx.db
      .select(
        mailColumns(ctx, {
          kind: `follow-${which}`,
          id: mail,
          recipient: followers.email,
          subjectId: followers.id,
        }),
      )
      .from(followers)
      .innerJoin(sql`json_each(${json})`, sql`json_each.value ->> 'id' = ${followers.id}`)
      .where(
        and(
          sql`${mail} is not null`,
          /* prove: followers-told-once */ sql`json_each.value ->> 'lookAt' = ${followers.lookAt}`,
        ),
      ),
  )
}

/** Forgets addresses that nobody confirmed within seven days. Bounded per run; safe to repeat or kill. */
export async function forgetUnconfirmed(ctx: Ctx): Promise<void> {
  const isOld = and(isNull(followers.confirmedAt), lte(followers.createdAt, ctx.now() - FOLLOW_CONFIRM_MS))
  const some = ctx.db.select({ id: followers.id }).from(followers).where(isOld).limit(2000)
  await ctx.db.batch([...forgetFollowers(ctx, inArray(followers.id, some))])
}
