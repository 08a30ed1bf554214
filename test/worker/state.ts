import { env, evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { removeUnverifiedAccounts } from '#worker/features/accounts/accounts.jobs.ts'
import { drainMailOutbox } from '#worker/features/mail/mail.jobs.ts'
import {
  drainObjectDeletions,
  sweepOrphanObjects,
  writeRestoreMarker,
} from '#worker/features/media/media.jobs.ts'
import { finishAbandonedUploads, sweepUploads } from '#worker/features/media/resumable.jobs.ts'
import {
  checkInvariants,
  problemsOf,
  type QuotaLine,
  type State,
  type StoredObject,
} from '../../tools/operate/invariants/invariants.ts'
import { HOUR_MS, MINUTE_MS } from '#shared/limits.ts'
import { testCtx } from './harness.ts'

/** Everything this test file has stored, with the quota objects of these memorials (reading one creates it). */
function testState(memorialIds: string[] = [], now = Date.now()): State {
  return {
    now,
    sql: async <T>(query: string) => (await env.DB.prepare(query).all<T>()).results,
    all: async (queries) =>
      (await env.DB.batch(queries.map((query) => env.DB.prepare(query)))).map(
        ({ results }) => results as Record<string, unknown>[],
      ),
    objects: storedObjects,
    quota: async (id) => (memorialIds.includes(id) ? quotaLines(id) : null),
  }
}

/** The violations of all invariants at this moment; empty when all hold. */
export async function stateErrors(memorialIds: string[] = [], now = Date.now()): Promise<string[]> {
  return problemsOf(await checkInvariants(testState(memorialIds, now)))
}

/** Runs what cron does in a day, twice; idle quota objects are evicted and restarted. */
export async function letTimePass(memorialIds: string[] = []): Promise<void> {
  for (let round = 0; round < 2; round++) {
    const later = testCtx(() => Date.now() + 4 * HOUR_MS)
    await drainMailOutbox(testCtx(() => Date.now() + 2 * MINUTE_MS))
    await finishAbandonedUploads(testCtx(() => Date.now() + 5 * MINUTE_MS))
    await sweepUploads(later)
    await drainObjectDeletions(later)
    await writeRestoreMarker(testCtx(() => Date.now() + HOUR_MS))
    await sweepOrphanObjects(later)
    await removeUnverifiedAccounts(testCtx())
  }
  for (const quota of memorialIds.map((id) => env.QUOTA.getByName(id))) {
    await quota.use('con_nobody')
    await evictDurableObject(quota)
  }
}

/** Adds the receipts that real payments would have to payments that a test inserted directly. */
export async function giveReceipts(): Promise<void> {
  await env.DB.exec(
    `INSERT INTO mails (id, kind, recipient, subject_id, status, created_at) SELECT 'mail_of_' || id, 'receipt', 'x@family.test', id, 'CANCELLED', created_at FROM payments WHERE paid_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM mails WHERE subject_id = payments.id)`,
  )
}

/** Deletes everything that this file has stored so far, so that the next check is quick. Counters and sessions stay. */
export async function deleteAll(): Promise<void> {
  const { results } = await env.DB.prepare(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'
       AND name NOT IN ('d1_migrations', 'sqlite_sequence')`,
  ).all<{ name: string }>()
  await env.DB.batch([
    env.DB.prepare('PRAGMA defer_foreign_keys = on'),
    ...results.map(({ name }) => env.DB.prepare(`DELETE FROM ${name}`)),
  ])
  const keys = (await storedObjects()).map(({ key }) => key)
  if (keys.length > 0) await env.MEDIA.delete(keys)
}

async function storedObjects(): Promise<StoredObject[]> {
  const found: StoredObject[] = []
  let cursor: string | undefined
  do {
    const page = await env.MEDIA.list(cursor ? { cursor } : {})
    found.push(
      ...page.objects.map(({ key, size, uploaded }) => ({ key, size, uploadedAt: uploaded.getTime() })),
    )
    cursor = page.truncated ? page.cursor : undefined
  } while (cursor)
  return found
}

async function quotaLines(memorialId: string): Promise<QuotaLine[]> {
  return runInDurableObject(env.QUOTA.getByName(memorialId), (_, { storage }) =>
    storage.sql
      .exec<QuotaLine>(
        `SELECT media_id AS mediaId, type, contributor_id AS contributorId, bytes, duration_sec AS durationSec,
           expires_at AS expiresAt, lease FROM items`,
      )
      .toArray(),
  )
}
