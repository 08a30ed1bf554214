import worker, * as built from 'built-worker'

export * from 'built-worker'

type Fetcher = { fetch: (url: string, init?: RequestInit) => Promise<Response> }
type Database = {
  fetcher: Fetcher
  alwaysPrimarySession: { fetcher: Fetcher }
  prepare: (sql: string) => {
    bind: (...values: string[]) => { first: (column: string) => Promise<string | null> }
  }
}
type Env = { DB: Database }
/** The use of D1: requests, statements in them, and rows read and written. */
export type D1Use = { trips: number; statements: number; rowsRead: number; rowsWritten: number }
type Answer = { meta?: { rows_read?: number; rows_written?: number } }

let use: D1Use | null = null
let page = ''
const instrumented = new WeakSet<Database>()

/** Counts at the binding's fetcher, because the binding does not pass on the row counts of every response. */
function instrument({ DB }: Env): void {
  if (instrumented.has(DB)) return
  instrumented.add(DB)
  const real = DB.fetcher
  const fetcher: Fetcher = {
    async fetch(url, init) {
      const answer = await real.fetch(url, init)
      if (!use) return answer
      const answers = [await answer.clone().json()].flat() as Answer[]
      use.trips += 1
      use.statements += answers.length
      for (const { meta } of answers) {
        use.rowsRead += meta?.rows_read ?? 0
        use.rowsWritten += meta?.rows_written ?? 0
      }
      return answer
    },
  }
  DB.fetcher = fetcher
  DB.alwaysPrimarySession.fetcher = fetcher
}

export class PublicPages extends built.PublicPages {
  constructor(ctx: unknown, env: unknown) {
    instrument(env as Env)
    super(ctx, env)
  }
}

export class MemorialQuota extends built.MemorialQuota {
  constructor(ctx: unknown, env: unknown) {
    instrument(env as Env)
    super(ctx, env)
  }
}

/** A minimal memorial page: one query, and a body of `?bytes=` bytes. */
async function bareQuery(url: URL, { DB }: Env): Promise<Response> {
  const statement = DB.prepare('SELECT life_story FROM memorials WHERE slug = ?')
  const story = await statement.bind(url.searchParams.get('slug') ?? '').first('life_story')
  if (story === null) return new Response(null, { status: 404 })
  return new Response(story.padEnd(Number(url.searchParams.get('bytes')), story), {
    headers: { 'Content-Type': 'text/html; charset=utf-8' },
  })
}

/**
 * Wraps the built Worker in the same isolate. It adds bare routes for comparison, a page that the benchmark uploads, and
 * `/bench/d1`, which returns the use of D1 since the last request to it.
 */
export default {
  ...worker,
  async fetch(request: Request, env: Env, ctx: unknown): Promise<Response> {
    instrument(env)
    const url = new URL(request.url)
    if (url.pathname === '/bench/hello') return new Response('hello')
    if (url.pathname === '/bench/query') return bareQuery(url, env)
    if (url.pathname === '/bench/page') {
      if (request.method === 'PUT') page = await request.text()
      return new Response(page, { headers: { 'Content-Type': 'text/html; charset=utf-8' } })
    }
    if (url.pathname === '/bench/d1') {
      const before = use
      use = url.searchParams.has('stop') ? null : { trips: 0, statements: 0, rowsRead: 0, rowsWritten: 0 }
      return Response.json(before)
    }
    return worker.fetch(request, env, ctx)
  },
}
