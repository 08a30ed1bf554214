import { eq, sql } from 'drizzle-orm'
import { DAY_MS } from '#shared/limits.ts'
import { createSession } from '#worker/access/sessions.ts'
import { followSuccessions } from '#worker/features/successors/successors.jobs.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { successions } from '#worker/schema/successors.table.ts'
import { newEmail } from './accounts.ts'
import { memorialOf, ORIGIN, signedIn, testCtx, type SignedIn } from './harness.ts'
import { rowsOf } from './rows.ts'

const YEAR_DAYS = 366

/** A paid memorial whose owner has named this many people, who have accounts. */
export async function namedFor(count = 1) {
  const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE', name: 'Sekai Ndlovu' })
  const people: SignedIn[] = []
  for (let n = 0; n < count; n++) {
    const person = await signedIn({ email: newEmail() })
    const { status } = await owner.post(`${path}/successors`, {
      name: `Tariro ${n + 1}`,
      email: person.user.email,
    })
    if (status !== 201) throw new Error(`not named: ${status}`)
    people.push(person)
  }
  return { owner, memorial, path, people, successions: `/api/successions/${memorial.id}` }
}

/** Lets this many days pass at a memorial: everything that was, was so much earlier. */
export async function passDays(memorialId: string, days: number): Promise<void> {
  const { db } = testCtx()
  const ms = days * DAY_MS
  const { saidAt, nextAt, askingSince, openSince, heldSince } = successions
  await db.batch([
    db
      .update(successions)
      .set({
        saidAt: sql`${saidAt} - ${ms}`,
        nextAt: sql`${nextAt} - ${ms}`,
        askingSince: sql`${askingSince} - ${ms}`,
        openSince: sql`${openSince} - ${ms}`,
        heldSince: sql`${heldSince} - ${ms}`,
      })
      .where(eq(successions.memorialId, memorialId)),
    db
      .update(users)
      .set({ seenAt: sql`${users.seenAt} - ${ms}` })
      .where(
        sql`${users.id} = (select ${memorials.ownerId} from ${memorials} where ${memorials.id} = ${memorialId})`,
      ),
  ])
}

/** Lets days pass, and cron run twice at once after that. */
export async function runAfter(memorialId: string, days: number): Promise<void> {
  await passDays(memorialId, days)
  await Promise.all([followSuccessions(testCtx()), followSuccessions(testCtx())])
}

/** The owner doesn't answer for a year and 30 days. */
export async function leaveUnanswered(memorialId: string): Promise<void> {
  for (const days of [YEAR_DAYS, 14, 13, 3]) await runAfter(memorialId, days)
}

/** Like {@link namedFor}, and the owner doesn't answer: the named people may claim the memorial. */
export async function openFor(count = 1) {
  const made = await namedFor(count)
  await leaveUnanswered(made.memorial.id)
  return made
}

export async function successionOf(memorialId: string) {
  const [row] = await rowsOf(successions, { memorialId })
  return row
}

/** The person signs in on another phone. */
export async function signInAgain({ user }: SignedIn): Promise<void> {
  await createSession(testCtx(), new Request(ORIGIN), new Headers(), { id: user.id, sessionEpoch: 0 })
}
