import { env, runInDurableObject } from 'cloudflare:test'
import { sql } from 'drizzle-orm'
import { DAY_MS } from '#shared/limits.ts'
import type { MediaUploaded } from '#shared/media/media.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { drainObjectDeletions } from '#worker/features/media/media.jobs.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { drainCachePurges } from '#worker/platform/edge-cache.ts'
import { Client, contributorOf, inviteTokenOf, memorialOf, type SignedIn, testCtx } from './harness.ts'
import { mailboxOf } from './mailbox.ts'
import { auditOf, changeRows } from './rows.ts'
import { objectsOf, sendProgramme, SOUND, upload } from './uploads.ts'

export type Whole = {
  id: string
  slug: string
  name: string
  owner: SignedIn
  /** Every id, name and text that belongs to it. */
  texts: string[]
  /** KV keys (SHA-256) of its contributors' tokens. */
  tokens: string[]
}

let count = 0

/** A memorial with data in every place that can hold some. */
export async function wholeMemorial(owned: { owner?: SignedIn } = {}): Promise<Whole> {
  const name = `Zvita Chokwadi ${count++}`
  const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE', name, ...owned })
  const before = new Set(await tokenKeys())
  const key = () => ({ 'Idempotency-Key': crypto.randomUUID() })
  const old = await contributorOf(owner, memorial.id, 'Before Rotation')
  const oldInvite = await inviteTokenOf(owner, memorial.id)
  await owner.post(`${path}/invite-link/rotate`)
  const relative = await contributorOf(owner, memorial.id)
  const guest = await contributorOf(owner, memorial.id, 'Guest Visitor')
  const comment = await relative.post(`${path}/comments`, { body: 'Rest well' }, { headers: key() })
  await owner.post(`/api/comments/${comment.body.comment.id}/like`)
  const sound = await upload<MediaUploaded>(relative, memorial.id, {
    ...SOUND,
    headers: key(),
  })
  const removed = await upload<MediaUploaded>(owner, memorial.id, { ...SOUND, headers: key() })
  await owner.delete(`/api/media/${removed.body.id}`)
  // A variant beside the object, as photos have; another test covers how real ones are made.
  await env.MEDIA.put(`m/${memorial.id}/${sound.body.id}/w320.webp`, 'small')
  await owner.put(`${path}/location`, { latitude: -17.5, longitude: 31 })
  const { body: event } = await owner.put(`${path}/funeral`, {
    dateTime: '2031-06-06T10:00',
    takesReplies: true,
  })
  const { body: sent } = await new Client().post(
    `${path}/funeral-events/${event.id}/replies?invite=${await inviteTokenOf(owner, memorial.id)}`,
    { answer: 'COMING', name: 'Ndapiwa Zhou', email: `reply.${memorial.id}@family.test` },
    { headers: key() },
  )
  await (await sendProgramme(owner, memorial.id)).arrayBuffer()
  const invite = await inviteTokenOf(owner, memorial.id)
  const email = `code.${memorial.id}@family.test`
  await relative.put(`${path}/contributor-session/address`, { email })
  await guest.post(`/api/invite/${invite}/code`, { email })
  await relative.post(`${path}/followers`, { email, news: true })
  await mailboxOf(email, 2)
  await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
  return {
    id: memorial.id,
    slug: memorial.slug,
    name,
    owner,
    texts: [
      memorial.id,
      memorial.slug,
      name,
      comment.body.comment.id,
      sound.body.id,
      removed.body.id,
      event.id,
      sent.reply.id,
      invite,
      oldInvite,
      ...[old, relative, guest].map(({ session }) => session.contributorId),
    ],
    tokens: (await tokenKeys()).filter((token) => !before.has(token)),
  }
}

async function tokenKeys(): Promise<string[]> {
  const { keys } = await env.KV.list({ prefix: 'contributor:' })
  return keys.map(({ name }) => name)
}

/** Marks a memorial as deleted by its owner this many days ago. */
export async function setDeleted(
  id: string,
  days: number,
  change: Partial<typeof memorials.$inferInsert> = {},
) {
  const deletedAt = Date.now() - days * DAY_MS
  await changeRows(memorials, { id }, { status: 'DELETED', deletedAt, ...change })
}

/** What remains of it anywhere, except what must stay: payments, the audit log, the retired slug. */
export async function leftOf({ id, slug, texts, tokens }: Whole): Promise<unknown> {
  const ctx = later()
  await drainObjectDeletions(ctx)
  await drainCachePurges(ctx)
  // An urgent purge is sent a second time before its row goes.
  await drainCachePurges(later())
  const traces = await findTraces(texts)
  const state = await runInDurableObject(env.QUOTA.getByName(id), (_, { storage }) => [
    ...storage.sql
      .exec<{ name: string }>('SELECT name FROM sqlite_master')
      .toArray()
      .filter(({ name }) => !name.startsWith('_')),
    ...storage.kv.list(),
  ])
  const keys = await tokenKeys()
  return {
    rows: traces.filter(
      (trace) =>
        !['payments.', 'audit_log.'].some((table) => trace.startsWith(table)) &&
        trace !== `retired_slugs.slug: ${slug}`,
    ),
    objects: await objectsOf(id),
    tokens: tokens.filter((token) => keys.includes(token)),
    state,
  }
}
export const NOTHING = { rows: [], objects: [], tokens: [], state: [] }

/** An hour later, so that every row is due; another hour each time, so that the rate limit allows the purge. */
let hours = 1
function later(): Ctx {
  return testCtx(() => Date.now() + 3_600_000 * hours++)
}

/** The audit log's rows about its purge. */
export async function purgeAuditRows(targetId: string) {
  return auditOf({ targetId, action: 'purge' }, 'actorId', 'detail', 'targetKind')
}

/** `table.column` of every row in the database that holds one of these texts, with the text. */
export async function findTraces(texts: string[]): Promise<string[]> {
  const { db } = testCtx()
  const all = await db.all<{ name: string }>(sql`select name from sqlite_master where type = 'table'`)
  const tables = all.filter(({ name }) => !/^(?:sqlite|_|d1)/u.test(name))
  const found: string[] = []
  for (const { name } of tables) {
    const columns = await db.all<{ name: string }>(sql`select name from pragma_table_info(${name})`)
    for (const column of columns) {
      const at = sql`${sql.identifier(name)}.${sql.identifier(column.name)}`
      const rows = await db.all<{ value: string }>(
        sql`select value from json_each(${JSON.stringify(texts)})
            where exists (select 1 from ${sql.identifier(name)} where instr(coalesce(${at}, ''), value) > 0)`,
      )
      found.push(...rows.map(({ value }) => `${name}.${column.name}: ${value}`))
    }
  }
  return found.toSorted()
}
