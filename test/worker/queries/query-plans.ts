import { createExecutionContext, env, waitOnExecutionContext } from 'cloudflare:test'
import { handleApi } from '#worker/api.ts'
import { createCtx, type Ctx } from '#worker/platform/ctx.ts'
import { PublicPages } from '#worker/public-pages.ts'
import { askWorker, Client } from '../harness.ts'
import { recordedDb, type Recorded } from '../runtime/intercepted-db.ts'

/** Points every client of this test file at a Worker whose database records its statements. */
export function recordEveryCall(): { recorded: Recorded; ctxAt: (now?: () => number) => Ctx } {
  const recorded = recordedDb()
  const bindings = { ...env, DB: recorded.DB }
  Client.way = async (url, init) => {
    const request = new Request(url, init)
    const { pathname } = new URL(url)
    if (pathname.startsWith('/api/') || pathname.startsWith('/media/')) {
      const execution = createExecutionContext()
      const answer = await handleApi(request, bindings, execution)
      await waitOnExecutionContext(execution)
      return answer
    }
    if (/^\/(?:invite|memorial)\//u.test(pathname)) return askWorker(request, {}, bindings)
    return new PublicPages(createExecutionContext(), bindings).fetch(request)
  }
  const ctxAt = (now?: () => number) =>
    createCtx({ env: bindings, waitUntil: () => {}, ...(now ? { now } : {}) })
  return { recorded, ctxAt }
}

/** Plan steps that read no table: a constant row, the members of a bound list, an intermediate result. */
const NO_TABLE = /^SCAN (?:CONSTANT ROW|json_each|\(subquery-\d+\)|\w+-subquery-\d+)/u

/** Steps that may read a whole index or table, and why. */
const ALLOWED: { step: string; of: RegExp; because: string }[] = [
  {
    step: 'SCAN resumable_uploads USING INDEX resumable_uploads_open',
    of: /"ended_at" is null/u,
    because: 'the index holds only open uploads, one per person who is uploading at the moment',
  },
  ...['memorials', 'payments', 'invite_tokens', 'memorial_storage', 'dead_jobs'].map((table) => ({
    step: `SCAN ${table} USING COVERING INDEX`,
    of: /^select (?:"status", )?(?:count\(\*\)|sum\("bytes"\)) from "\w+"(?: group by \S+)?$/u,
    because: 'the console counts exactly, and 100,000 rows of a narrow index take less than 10 ms',
  })),
  ...['mails', 'payments'].map((table) => ({
    step: `SEARCH ${table} USING COVERING INDEX ${table}_status`,
    of: /^select count\(\*\) from "\w+" where "\w+"\."status" = \?$/u,
    because: 'the console counts what waits, failed or is disputed',
  })),
  {
    step: 'SEARCH memorials USING COVERING INDEX memorials_status',
    of: /^select "status", count\(\*\) from "memorials" where .* group by/u,
    because: 'the console counts exactly',
  },
  {
    step: 'SEARCH payments USING INDEX payments_status',
    of: /^select count\(\*\) from "payments" where \("payments"\."status" in \(\?, \?\) and exists/u,
    because: 'the console counts what was refunded or is disputed: few',
  },
  {
    step: 'SEARCH invite_tokens USING COVERING INDEX invite_tokens_status',
    of: /not exists \(select 1 from "invite_tokens"/u,
    because: 'it stops at the first free link',
  },
  {
    step: 'SEARCH memorials USING INDEX memorials_status',
    of: /"status" = \? and "memorials"\."deleted_at" <= \?/u,
    because: 'cron reads what was deleted in the last 30 days; older rows are gone',
  },
  {
    step: 'SCAN replies USING COVERING INDEX',
    of: /"keep_replies" = \?/u,
    because: 'once a night; replies are kept for 90 days, so there are few of each memorial and none of most',
  },
  ...['memorials', 'payments', 'users'].map((table) => ({
    step: `SCAN ${table} USING COVERING INDEX`,
    of: /instr\(lower\(/u,
    because: 'an admin searches for a substring: no index helps, and a scan of 100,000 rows takes 0.1 s',
  })),
]

/**
 * Steps that find rows only by their state, of which there are more with every memorial: SQLite has no statistics here, and may
 * prefer such an index to the one that finds a few rows. The second reads the payments that have no memorial.
 */
const BY_STATE =
  /^SEARCH (?:\w+ USING (?:COVERING )?INDEX \w+_status \(status=\?\)|payments USING INDEX payments_memorial \(memorial_id=\?\))$/u

/** Statements that scan a whole table or all rows of a state, each with the step of its plan that does. */
export async function findScans({ statements }: Recorded): Promise<{ step: string; query: string }[]> {
  const found: { step: string; query: string }[] = []
  for (const [query, values] of statements) {
    const plan = await env.DB.prepare(`EXPLAIN QUERY PLAN ${query}`)
      .bind(...values)
      .all<{ detail: string }>()
    const steps = plan.results.map(({ detail }) => detail)
    const isPage = /\border by\b/iu.test(query) && /\blimit\b/iu.test(query)
    const isSorted = !steps.some((step) => step.includes('FOR ORDER BY'))
    for (const step of steps) {
      const isScan = (step.startsWith('SCAN ') && !NO_TABLE.test(step)) || BY_STATE.test(step)
      // A page in the order of an index stops when it is full.
      const isFirstOfIndex = / USING (?:COVERING )?INDEX /u.test(step) && isPage && isSorted
      const isAllowed = ALLOWED.some((one) => step.startsWith(one.step) && one.of.test(query))
      if (((isScan && !isFirstOfIndex) || step.includes('AUTOMATIC')) && !isAllowed)
        found.push({ step, query })
    }
  }
  return found
}
