import { createExecutionContext, env } from 'cloudflare:test'
import { beforeEach, expect, test, vi } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS, UNVERIFIED_ACCOUNT_EXPIRES_MS } from '#shared/limits.ts'
import { createCtx, type Ctx } from '#worker/platform/ctx.ts'
import { removeUnverifiedAccounts } from '#worker/features/accounts/accounts.jobs.ts'
import { accountTokens, users } from '#worker/schema/accounts.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import {
  drainObjectDeletions,
  sweepOrphanObjects,
  writeRestoreMarker,
} from '#worker/features/media/media.jobs.ts'
import { objectDeletions } from '#worker/schema/media.table.ts'
import { newId } from '#worker/platform/random.ts'
import { takeErrorLines } from '../runtime/error-lines.ts'
import { FAULT_MODES, FaultyBindings, sweep, type Fault } from './faults.ts'
import { memorialOf, testCtx } from '../harness.ts'
import { deleteAll, giveReceipts, stateErrors } from '../state.ts'
import { objectsOf, quotaItemsOf, sendFixture } from '../uploads.ts'

beforeEach(deleteAll)

const LATER_MS = 2 * HOUR_MS
type Task = (ctx: Ctx) => Promise<void>

/** Runs the task with a fault, like cron: a failure is logged and not rethrown. */
async function runWith(task: Task, fault: Fault | null, aheadMs: number): Promise<FaultyBindings> {
  const bindings = new FaultyBindings(fault)
  const { waitUntil } = createExecutionContext()
  const ctx = createCtx({ env: bindings.env, waitUntil, now: () => Date.now() + aheadMs })
  await bindings.duringCron(() => task(ctx).catch(() => null))
  return bindings
}

/**
 * Runs the task with each fault (a sample of them in `npm test`), then five times concurrently, then once without a fault;
 * `expectDone` after each. Returns the calls of a run without faults.
 */
async function failEverywhere(
  task: Task,
  aheadMs: number,
  arrange: () => Promise<void>,
  expectDone: () => Promise<void>,
): Promise<string[]> {
  await arrange()
  const { calls } = await runWith(task, null, aheadMs)
  await expectDone()
  const all = calls.flatMap((_, before) => FAULT_MODES.map((mode): Fault => ({ at: before + 1, mode })))
  const middle = Math.ceil(calls.length / 2)
  for (const fault of sweep(
    all,
    FAULT_MODES.map((mode): Fault => ({ at: middle, mode })),
  )) {
    await deleteAll()
    await arrange()
    const bindings = await runWith(task, fault, aheadMs)
    const five = Array.from({ length: 5 }, async () => task(testCtx(() => Date.now() + aheadMs)))
    await Promise.all(five)
    await bindings.finishLate()
    await task(testCtx(() => Date.now() + aheadMs))
    await expectDone()
  }
  takeErrorLines()
  return calls
}

const ORPHAN = `m/mem_${'a'.repeat(20)}/med_${'b'.repeat(20)}`

test('a sweep that fails anywhere removes the objects without a row and no others', async () => {
  let remaining: string[] = []
  let memorialId = ''
  const calls = await failEverywhere(
    sweepOrphanObjects,
    LATER_MS,
    async () => {
      const { owner, memorial } = await memorialOf()
      await giveReceipts()
      memorialId = memorial.id
      await sendFixture(owner, memorialId, 'photo.png')
      remaining = await objectsOf(memorialId)
      for (const key of [ORPHAN, `${ORPHAN}/w320.webp`]) await env.MEDIA.put(key, 'x')
      await writeRestoreMarker(testCtx(() => Date.now() + HOUR_MS))
    },
    async () => {
      expect(await objectsOf(memorialId)).toEqual(remaining)
      expect((await env.MEDIA.list({ prefix: ORPHAN })).objects).toEqual([])
      expect(await stateErrors()).toEqual([])
    },
  )
  expect(calls.length).toBeGreaterThan(3)
})

test('the sweep keeps objects younger than an hour and objects with a reserved quota', async () => {
  const { memorial } = await memorialOf()
  const mediaId = newId('media')
  const item = { mediaId, type: 'IMAGE', contributorId: null, bytes: 1, durationSec: 0 } as const
  await env.QUOTA.getByName(memorial.id).reserve(item, 'resumable')
  await env.MEDIA.put(`m/${memorial.id}/${mediaId}`, 'x')
  await writeRestoreMarker(testCtx(() => Date.now() + HOUR_MS))
  const almost = testCtx(() => Date.now() + HOUR_MS - MINUTE_MS)
  await Promise.all(Array.from({ length: 5 }, async () => sweepOrphanObjects(almost)))
  expect(await objectsOf(memorial.id)).toEqual([`m/${memorial.id}/${mediaId}`])
  expect(await quotaItemsOf(memorial.id)).toEqual([mediaId])
})

test('object deletions that fail anywhere are all done by the next run', async () => {
  const prefixes = [1, 2, 3].map((at) => `m/mem_${'c'.repeat(20)}/med_${String(at).repeat(20)}`)
  const calls = await failEverywhere(
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
  expect(calls.length).toBeGreaterThan(3)
})

test('a deletion that fails does not hold up the others', async () => {
  const prefixes = ['m/a/b', 'm/c/d']
  for (const prefix of prefixes) await env.MEDIA.put(prefix, 'x')
  const at = Date.now() - HOUR_MS
  await testCtx()
    .db.insert(objectDeletions)
    .values(prefixes.map((prefix, more) => ({ prefix, createdAt: at + more })))
  // The first call finds what is due, the second removes the first object.
  await runWith(drainObjectDeletions, { at: 2, mode: 'before' }, 0)
  expect(takeErrorLines()).toEqual([expect.stringContaining('objects_not_deleted')])
  expect((await env.MEDIA.list()).objects.map(({ key }) => key)).toEqual(['m/a/b'])
})

test('a removal of unconfirmed accounts that fails anywhere removes them completely', async () => {
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
  const calls = await failEverywhere(
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
      expect(await stateErrors()).toEqual([])
    },
  )
  expect(calls).toHaveLength(1)
})

test('the sweep keeps objects that a restored, older database does not know', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  const { owner, memorial } = await memorialOf()
  await sendFixture(owner, memorial.id, 'photo.png')
  const remaining = await objectsOf(memorial.id)
  const hours = (count: number) => testCtx(() => Date.now() + count * HOUR_MS)
  await writeRestoreMarker(hours(1))
  // Undo it: remove both the row and the note of that mark.
  await env.DB.batch([env.DB.prepare('DELETE FROM media'), env.DB.prepare('DELETE FROM object_deletions')])
  await sendFixture(owner, memorial.id, 'photo.png')
  const written = (await objectsOf(memorial.id)).length - remaining.length
  await writeRestoreMarker(hours(2))
  for (const count of [3, 4, 80]) {
    await drainObjectDeletions(hours(count))
    await sweepOrphanObjects(hours(count))
  }
  expect(await objectsOf(memorial.id)).toEqual(expect.arrayContaining(remaining))
  expect(written).toBe(remaining.length)
  expect(takeErrorLines()).toEqual(
    Array.from({ length: 3 }, () => expect.stringContaining('database_older_than_objects')),
  )
  expect(await stateErrors()).toContainEqual(expect.stringContaining('not older than the files: marks/'))
})

test('the sweep keeps objects until a sweep mark is written after them', async () => {
  await env.MEDIA.put(ORPHAN, 'x')
  await sweepOrphanObjects(testCtx(() => Date.now() + LATER_MS))
  expect((await env.MEDIA.list({ prefix: ORPHAN })).objects).toHaveLength(1)
})
