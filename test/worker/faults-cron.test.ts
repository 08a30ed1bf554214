import { createExecutionContext, env } from 'cloudflare:test'
import { beforeEach, expect, test, vi } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS, UNVERIFIED_ACCOUNT_EXPIRES_MS } from '#shared/limits.ts'
import { createCtx, type Ctx } from '#worker/ctx.ts'
import { removeUnverifiedAccounts } from '#worker/features/accounts/accounts.jobs.ts'
import { accountTokens, users } from '#worker/features/accounts/accounts.table.ts'
import { mails } from '#worker/features/mail/mail.table.ts'
import { drainObjectDeletions, sweepOrphanObjects } from '#worker/features/media/media.jobs.ts'
import { objectDeletions } from '#worker/features/media/media.table.ts'
import { markMoment } from '#worker/features/media/sweep-marks.ts'
import { newId } from '#worker/platform/random.ts'
import { takeErrorLines } from './error-lines.ts'
import { FAULT_MODES, FaultyBindings, type Fault } from './faults.ts'
import { fixture } from './fixtures.ts'
import { memorialOf, testCtx } from './harness.ts'
import { forgetAll, giveReceipts, stateProblems } from './state.ts'
import { objectsOf, quotaItemsOf, upload } from './uploads.ts'

beforeEach(forgetAll)

const LATER_MS = 2 * HOUR_MS
type Task = (ctx: Ctx) => Promise<void>

/** Runs the task with a fault as cron would: its failure is logged and nobody hears of it. */
async function runWith(task: Task, fault: Fault | null, aheadMs: number): Promise<FaultyBindings> {
  const bindings = new FaultyBindings(fault)
  const { waitUntil } = createExecutionContext()
  const ctx = createCtx({ env: bindings.env, waitUntil, now: () => Date.now() + aheadMs })
  await bindings.duringCron(() => task(ctx).catch(() => null))
  return bindings
}

/** The task killed at each of its calls in each way, five more at once, then once in peace; `expectDone` after each. */
async function killEverywhere(
  task: Task,
  aheadMs: number,
  arrange: () => Promise<void>,
  expectDone: () => Promise<void>,
): Promise<number> {
  await arrange()
  const { calls } = await runWith(task, null, aheadMs)
  await expectDone()
  let faults = 0
  for (let at = 1; at <= calls.length; at++) {
    for (const mode of FAULT_MODES) {
      await forgetAll()
      await arrange()
      const bindings = await runWith(task, { at, mode }, aheadMs)
      const five = Array.from({ length: 5 }, async () => task(testCtx(() => Date.now() + aheadMs)))
      await Promise.all(five)
      await bindings.finishLate()
      await task(testCtx(() => Date.now() + aheadMs))
      await expectDone()
      faults++
    }
  }
  takeErrorLines()
  return faults
}

const ORPHAN = `m/mem_${'a'.repeat(20)}/med_${'b'.repeat(20)}`

test('F13: the sweep, killed anywhere and run five times at once, removes what no row knows and nothing else', async () => {
  let kept: string[] = []
  let memorialId = ''
  const faults = await killEverywhere(
    sweepOrphanObjects,
    LATER_MS,
    async () => {
      const { owner, memorial } = await memorialOf()
      await giveReceipts()
      memorialId = memorial.id
      await upload(owner, memorialId, { bytes: await fixture('photo.png'), name: 'a.png', type: 'IMAGE' })
      kept = await objectsOf(memorialId)
      for (const key of [ORPHAN, `${ORPHAN}/w320.webp`]) await env.MEDIA.put(key, 'x')
      await markMoment(testCtx(() => Date.now() + HOUR_MS))
    },
    async () => {
      expect(await objectsOf(memorialId)).toEqual(kept)
      expect((await env.MEDIA.list({ prefix: ORPHAN })).objects).toEqual([])
      expect(await stateProblems()).toEqual([])
    },
  )
  expect(faults).toBeGreaterThan(10)
  console.log(`${faults} faults: the sweep`)
})

test('F13: the sweep leaves what is younger than an hour, and what room is held for', async () => {
  const { memorial } = await memorialOf()
  const mediaId = newId('media')
  const item = { mediaId, type: 'IMAGE', contributorId: null, bytes: 1, durationSec: 0 } as const
  await env.QUOTA.getByName(memorial.id).reserve(item, 'resumable')
  await env.MEDIA.put(`m/${memorial.id}/${mediaId}`, 'x')
  await markMoment(testCtx(() => Date.now() + HOUR_MS))
  const almost = testCtx(() => Date.now() + HOUR_MS - MINUTE_MS)
  await Promise.all(Array.from({ length: 5 }, async () => sweepOrphanObjects(almost)))
  expect(await objectsOf(memorial.id)).toEqual([`m/${memorial.id}/${mediaId}`])
  expect(await quotaItemsOf(memorial.id)).toEqual([mediaId])
})

test('F13: deletions of objects, killed anywhere and run five times at once, are all done', async () => {
  const prefixes = [1, 2, 3].map((at) => `m/mem_${'c'.repeat(20)}/med_${String(at).repeat(20)}`)
  const faults = await killEverywhere(
    drainObjectDeletions,
    LATER_MS,
    async () => {
      for (const prefix of prefixes) {
        for (const key of [prefix, `${prefix}/w320.webp`]) await env.MEDIA.put(key, 'x')
        await testCtx().db.insert(objectDeletions).values({ prefix, createdAt: Date.now() })
      }
    },
    async () => {
      expect((await env.MEDIA.list()).objects).toEqual([])
      expect(await testCtx().db.select().from(objectDeletions)).toEqual([])
    },
  )
  expect(faults).toBeGreaterThan(10)
  console.log(`${faults} faults: deletions of objects`)
})

test('F13: one deletion that fails holds up none of the others', async () => {
  const prefixes = ['m/a/b', 'm/c/d']
  for (const prefix of prefixes) await env.MEDIA.put(prefix, 'x')
  const at = Date.now() - HOUR_MS
  await testCtx()
    .db.insert(objectDeletions)
    .values(prefixes.map((prefix, more) => ({ prefix, createdAt: at + more })))
  // The first call looks up what is due, the second removes the first object.
  await runWith(drainObjectDeletions, { at: 2, mode: 'before' }, 0)
  expect(takeErrorLines()).toEqual([expect.stringContaining('objects_not_deleted')])
  expect((await env.MEDIA.list()).objects.map(({ key }) => key)).toEqual(['m/a/b'])
})

test('F13: the removal of accounts that nobody confirmed, killed anywhere, removes them whole', async () => {
  const at = Date.now() - UNVERIFIED_ACCOUNT_EXPIRES_MS - DAY_MS
  const account = (id: string, emailVerifiedAt: number | null, createdAt: number) => ({
    id,
    email: `${id}@family.test`,
    firstName: 'Rudo',
    lastName: 'Moyo',
    passwordHash: 'none',
    emailVerifiedAt,
    termsAcceptedAt: createdAt,
    createdAt,
    updatedAt: createdAt,
  })
  const faults = await killEverywhere(
    removeUnverifiedAccounts,
    0,
    async () => {
      const { db } = testCtx()
      const mail = { kind: 'verify', recipient: 'x@family.test', status: 'SENT' } as const
      await db
        .insert(users)
        .values([
          account('usr_old', null, at),
          account('usr_new', null, Date.now()),
          account('usr_known', 1, at),
        ])
      await db.insert(mails).values([
        { id: 'mail_old', subjectId: 'usr_old', createdAt: at, ...mail },
        { id: 'mail_new', subjectId: 'usr_new', createdAt: at, ...mail },
      ])
      const token = { kind: 'VERIFY', userId: 'usr_old', expiresAt: at, createdAt: at } as const
      await db.insert(accountTokens).values({ tokenHash: 'x', ...token })
    },
    async () => {
      const { db } = testCtx()
      expect((await db.select({ id: users.id }).from(users)).map(({ id }) => id).toSorted()).toEqual([
        'usr_known',
        'usr_new',
      ])
      expect((await db.select({ id: mails.id }).from(mails)).map(({ id }) => id)).toEqual(['mail_new'])
      expect(await stateProblems()).toEqual([])
    },
  )
  expect(faults).toBe(FAULT_MODES.length)
})

test('F16: what a database that was taken back has forgotten is kept, also after it was written to again', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  const { owner, memorial } = await memorialOf()
  const photo = { bytes: await fixture('photo.png'), name: 'a.png', type: 'IMAGE' }
  await upload(owner, memorial.id, photo)
  const kept = await objectsOf(memorial.id)
  const hours = (count: number) => testCtx(() => Date.now() + count * HOUR_MS)
  await markMoment(hours(1))
  // Taken back: neither the row nor the note of that mark is there any more.
  await env.DB.batch([env.DB.prepare('DELETE FROM media'), env.DB.prepare('DELETE FROM object_deletions')])
  await upload(owner, memorial.id, photo)
  const written = (await objectsOf(memorial.id)).length - kept.length
  await markMoment(hours(2))
  for (const count of [3, 4, 80]) {
    await drainObjectDeletions(hours(count))
    await sweepOrphanObjects(hours(count))
  }
  expect(await objectsOf(memorial.id)).toEqual(expect.arrayContaining(kept))
  expect(written).toBe(kept.length)
  expect(takeErrorLines()).toEqual(
    Array.from({ length: 3 }, () => expect.stringContaining('database_older_than_objects')),
  )
  expect(await stateProblems()).toContainEqual(expect.stringContaining('taken back behind them: marks/'))
})

test('F16: an object that no moment was marked after waits for the sweep', async () => {
  await env.MEDIA.put(ORPHAN, 'x')
  await sweepOrphanObjects(testCtx(() => Date.now() + LATER_MS))
  expect((await env.MEDIA.list({ prefix: ORPHAN })).objects).toHaveLength(1)
})
