import type { User } from '#shared/accounts.ts'
import { exports } from 'cloudflare:workers'
import type { Env, LoopbackExports } from '#worker/platform/env.ts'
import type { Job } from '#worker/schema/job.ts'
import { withDeadlines } from '#worker/platform/deadlines.ts'
import { openDb, type Db, type FirstRead } from '#worker/platform/db.ts'
import { createLog, type Log } from '#worker/platform/log.ts'
import { newRequestId } from '#worker/platform/random.ts'

const pages = exports as unknown as LoopbackExports

/** What every verb is given: built once a request, job or cron run. */
export type Ctx = {
  env: Env
  db: Db
  /** Milliseconds since 1970; injected so that tests can move time. */
  now: () => number
  requestId: string
  log: Log
  /** Sends jobs to the queue that each belongs to. Call it after the write; where a lost message would hurt, an outbox row stands behind it. */
  enqueue: (...jobs: Job[]) => Promise<void>
  waitUntil: (promise: Promise<unknown>) => void
  /** Makes the edge forget pages by their `Cache-Tag`; throws when it does not. Write the wish down first (edge-cache.ts). */
  purgeEdge: (tags: string[]) => Promise<void>
}

/** What a person showed with a request, besides a session. */
export type Credentials = {
  /** `X-Contributor-Token`. */
  contributorHeader: string | null
  cookies: Record<string, string>
}

export type RequestCtx = Ctx & {
  request: Request
  /** From `CF-Connecting-IP` and nothing else. */
  ip: string
  user: User | null
  credentials: Credentials
}

type Platform = {
  env: Env
  waitUntil: (promise: Promise<unknown>) => void
  now?: () => number
  /** Of the call that asked for this; default: one of its own. */
  requestId?: string | undefined
  /** Default: the first look at the database sees every write that came before it. */
  firstRead?: FirstRead
}

/** Builds the context of one request, job or cron run. */
export function createCtx({
  env: bindings,
  waitUntil,
  now = Date.now,
  requestId = newRequestId(),
  firstRead,
}: Platform): Ctx {
  const env = withDeadlines(bindings)
  const log = createLog(requestId)
  return {
    env,
    db: openDb(env.DB, firstRead),
    now,
    requestId,
    log,
    waitUntil,
    purgeEdge: (tags) => pages.PublicPages.purge(tags),
    async enqueue(...jobs) {
      for (const queue of [env.JOBS, env.PICTURES]) {
        const own = jobs.filter(({ type }) => (type === 'make-pictures') === (queue === env.PICTURES))
        if (own.length > 0) await queue.sendBatch(own.map((job) => ({ body: { ...job, requestId } })))
      }
    },
  }
}

/** Does something once the answer is on its way. A failure is logged; nobody waits for it. */
export function afterAnswer(ctx: Ctx, event: string, work: () => Promise<void>): void {
  const logged = async () => {
    try {
      await work()
    } catch (error) {
      ctx.log.error(`${event}_failed`, error)
    }
  }
  ctx.waitUntil(logged())
}
