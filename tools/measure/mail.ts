import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { ProductClient } from '../operate/local/product-client.ts'
import { startStack, type Stack } from '../operate/local/stack.ts'
import { DEMO, seedDemo } from '../operate/seed.ts'
import { median, medianRatio, quantile, report, rounded } from './results.ts'

const CAN_WAIT = 10_000
const ROUNDS = 8
/** So long after cron has begun to send the others a reset is asked for. */
const HEAD_START_MS = 200
const HOUR_MS = 3_600_000

/** Puts mails of low priority about one memorial into the outbox, an hour ago. */
async function fillOutbox({ db }: Stack, memorialId: string): Promise<void> {
  await db
    .prepare(
      `INSERT INTO mails (id, kind, recipient, subject_id, created_at, priority)
       WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)
       SELECT 'mail_bench' || n, 'draft-removed', 'follower-' || n || '@family.test', ?2, ?3 + n, 'LATER' FROM numbers`,
    )
    .bind(CAN_WAIT, memorialId, Date.now() - HOUR_MS)
    .run()
}

/** Copies of the demo's owner, because a mailbox gets few resets an hour. */
async function addAccounts({ db }: Stack, emails: readonly string[]): Promise<void> {
  const row = await db.prepare('SELECT * FROM users WHERE email = ?').bind(DEMO.owner.email).first()
  const columns = Object.keys(row ?? {})
  const insert = db.prepare(`INSERT INTO users (${columns.join()}) VALUES (${columns.map(() => '?').join()})`)
  await db.batch(
    emails.map((email) => insert.bind(...Object.values({ ...row, id: `usr_${email.split('@')[0]}`, email }))),
  )
}

/** Milliseconds from the request for a new password until its mail has arrived. */
async function timeOfReset({ url, sandboxUrl }: Stack, email: string): Promise<number> {
  const started = performance.now()
  // A network gets few resets a minute.
  const client = new ProductClient(url, `198.51.100.${/\d+/u.exec(email)?.[0] ?? ''}`)
  await client.call('POST', '/api/auth/forgot-password', { email })
  for (;;) {
    const response = await fetch(`${sandboxUrl}/mail?to=${encodeURIComponent(email)}`)
    const { messages } = (await response.json()) as { messages: unknown[] }
    if (messages.length > 0) return performance.now() - started
    await wait(5)
  }
}

/** The same while the tasks of one minute run. */
async function timeDuringMinute(stack: Stack, email: string): Promise<number> {
  const worker = await stack.miniflare.getWorker()
  const minute = worker.scheduled({ cron: '* * * * *' })
  await wait(HEAD_START_MS)
  const took = await timeOfReset(stack, email)
  await minute
  return took
}

/**
 * Measures how long the mail of a reset takes while 10,000 mails of low priority wait: with none of them being sent, while cron sends them, and, for
 * comparison, while cron puts as many into the queue in which the reset is. The three take turns.
 */
export async function measureMail(): Promise<void> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'nhaka-bench-'))
  await using stack = await startStack({ state: folder.path })
  const demo = await seedDemo(stack)
  await fillOutbox(stack, demo.draftId)
  const emails = Array.from({ length: ROUNDS * 3 }, (_, at) => `reset-${at}@family.test`)
  await addAccounts(stack, emails)
  const [quiet, sending, queued]: [number[], number[], number[]] = [[], [], []]
  for (let at = 0; at < ROUNDS; at++) {
    const [first = '', second = '', third = ''] = emails.slice(at * 3)
    quiet.push(await timeOfReset(stack, first))
    sending.push(await timeDuringMinute(stack, second))
    await stack.db
      .prepare(
        `UPDATE mails SET priority = 'NOW' WHERE id IN
          (SELECT id FROM mails WHERE status = 'QUEUED' AND priority = 'LATER' ORDER BY created_at LIMIT 100)`,
      )
      .run()
    queued.push(await timeDuringMinute(stack, third))
    await drained(stack)
  }
  const row = (others: string, times: readonly number[]) => ({
    others,
    medianMs: Math.round(median(times)),
    p90Ms: Math.round(quantile(times, 0.9)),
    ratio: rounded(medianRatio(times, quiet)),
  })
  report('mail', [
    row('wait', quiet),
    row('are sent by cron, as they are', sending),
    row('are in the same queue', queued),
  ])
}

/** Waits until the queue has sent all that it was given. */
async function drained({ db }: Stack): Promise<void> {
  for (;;) {
    const left = await db
      .prepare("SELECT count(*) AS n FROM mails WHERE status = 'QUEUED' AND priority = 'NOW'")
      .first<{ n: number }>()
    if (left?.n === 0) return
    await wait(50)
  }
}
