import type { User } from '#shared/accounts/accounts.ts'
import { exports } from 'cloudflare:workers'
import type { Env, LoopbackExports } from '#worker/platform/env.ts'
import type { Job } from '#worker/schema/jobs.table.ts'
import { withDeadlines } from '#worker/platform/deadlines.ts'
import { openDb, type Db, type FirstRead } from '#worker/platform/db.ts'
import { createLog, type Log } from '#worker/platform/log.ts'
import { newRequestId } from '#worker/platform/random.ts'

const pages = exports as unknown as LoopbackExports

/** The context that every handler receives: created once per request, job or cron run. */
export type Ctx = {
  env: Env
  db: Db
  /** Milliseconds since 1970; injected so that tests can move time. */
  now: () => number
  requestId: string
  log: Log
  /** Sends jobs to their queues. Call it after the write, and write an outbox row where a lost message would matter. */
  enqueue: (...jobs: Job[]) => Promise<void>
  waitUntil: (promise: Promise<unknown>) => void
  /** Purges pages by `Cache-Tag`; throws when that fails. Queue the purge in D1 first (edge-cache.ts). */
  purgeEdge: (tags: string[]) => Promise<void>
}

/** Credentials of a request other than the session. */
export type Credentials = {
  /** `X-Contributor-Token`. */
  contributorHeader: string | null
  cookies: Record<string, string>
}

/** The signed-in user. `isAdmin`: may do what admins may, in this session. */
export type SessionUser = User & {
  /** An admin who hasn't used a second factor in this session: an ordinary user until then. */
  needsSecondFactor?: boolean
}

export type RequestCtx = Ctx & {
  request: Request
  /** From `CF-Connecting-IP` only. */
  ip: string
  user: SessionUser | null
  credentials: Credentials
}

type Platform = Pick<Ctx, 'env' | 'waitUntil'> & {
  now?: Ctx['now']
  /** Id of the request that caused this one; default: a new id. */
  requestId?: string | undefined
  /** Default: the first query sees every earlier write. */
  firstRead?: FirstRead
}

/** Creates the context of one request, job or cron run. */
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
        const batch = jobs.filter(({ type }) => (type === 'make-pictures') === (queue === env.PICTURES))
        if (batch.length > 0) await queue.sendBatch(batch.map((job) => ({ body: { ...job, requestId } })))
      }
    },
  }
}

/** The address that a request came from. */
export function ipOf(request: Request): string {
  return request.headers.get('CF-Connecting-IP') ?? 'unknown'
}

/** Runs `work` after the response, without delaying it. Logs a failure as `{event}_failed`. */
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
