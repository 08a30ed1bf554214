import { and, eq, lte, ne, or, sql } from 'drizzle-orm'
import { countryOf, deviceOf } from '#worker/access/device-label.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { newId } from '#worker/platform/random.ts'
import { sessions, users } from '#worker/schema/accounts.table.ts'

/** What its user has proved in a session, and when. */
export type Proofs = Pick<SessionRecord, 'confirmedAt' | 'secondFactorAt'>

/** A session without what was noted about the browser at sign-in. */
export type SessionRecord = Omit<typeof sessions.$inferInsert, 'id' | 'device' | 'country'>

/** Notes a new session, with the device and country of the request. Those of the user that are over make room. */
export async function recordSession(ctx: Ctx, request: Request, record: SessionRecord): Promise<void> {
  const isOver = or(ne(sessions.epoch, record.epoch), lte(sessions.expiresAt, ctx.now()))
  const noted = { device: deviceOf(request), country: countryOf(request) }
  await ctx.db.batch([
    ctx.db.delete(sessions).where(and(eq(sessions.userId, record.userId), isOver)),
    ctx.db.insert(sessions).values({ id: newId('session'), ...record, ...noted }),
    noteSeen(ctx, record),
  ])
}

/** Notes that a session was used: in the list of the account, and of its user. */
export async function renewSession(ctx: Ctx, record: SessionRecord): Promise<void> {
  await ctx.db.batch([renewRecord(ctx, record), noteSeen(ctx, record)])
}

/** Statement: the user was here. */
function noteSeen(ctx: Ctx, { userId }: SessionRecord) {
  return ctx.db.update(users).set({ seenAt: ctx.now() }).where(eq(users.id, userId))
}

/** Statement: what is noted of the user's sessions of earlier epochs goes. */
export function forgetEndedSessions(ctx: Ctx, userId: string) {
  const epoch = sql`(select ${users.sessionEpoch} from ${users} where ${users.id} = ${userId})`
  return ctx.db.delete(sessions).where(and(eq(sessions.userId, userId), sql`${sessions.epoch} <> ${epoch}`))
}

/** Statement: notes that a session was used. One that is older than the table, or than a restored database, gets its row now. */
export function renewRecord(ctx: Ctx, record: SessionRecord) {
  const { usedAt, expiresAt } = record
  return ctx.db
    .insert(sessions)
    .values({ id: newId('session'), ...record })
    .onConflictDoUpdate({ target: sessions.sessionHash, set: { usedAt, expiresAt } })
}

/** Notes what the user has just proved in a session. */
export async function noteProofs(ctx: Ctx, record: SessionRecord, proofs: Proofs): Promise<void> {
  await ctx.db.batch([
    // One that is older than the table has no row yet.
    renewRecord(ctx, record),
    ctx.db.update(sessions).set(proofs).where(eq(sessions.sessionHash, record.sessionHash)),
  ])
}
