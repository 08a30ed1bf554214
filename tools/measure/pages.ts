import { cpSync, mkdtempDisposableSync, readdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Stack } from '../operate/local/stack.ts'
import type { D1Use } from './entry.ts'
import { fillTo } from './fill.ts'
import { bytesOf, load, type Call, type Loaded } from './load.ts'
import { HELLO_HOST, makeWorld, startMeasured, type BenchData } from './world.ts'
import { cpuMs, runtimePid } from './process.ts'
import { median, medianRatio, quantile, report, rounded, spreadPercent } from './results.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const SIZES = [10, 1000, 100_000]
const CONNECTIONS = 16
/** Few admins work at the same time. */
const ADMINS = 2
const ROUNDS = 11
const ROUND_SECONDS = 0.3
const WARM_UP_SECONDS = 1
/** The limit is ten messages a minute for each writer: sixty writers can send all messages of a run. */
const MESSAGES_A_ROUND = 30
/** A player's typical first request. */
const RANGE = 'bytes=0-65535'

type Route = { name: string; next: () => Call; atMost?: number; connections?: number }
type Server = { memorials: number; stack: Stack; pid: number; routes: Route[] }
/** Adds the CPU time of one call, in milliseconds. */
type Measured = Loaded & { cpuMs: number }

/** The static file whose size is closest to that of the page. */
function assetNear(bytes: number): string {
  const files = readdirSync(resolve(ROOT, 'dist/client/assets'))
  const distance = (file: string) =>
    Math.abs(statSync(resolve(ROOT, 'dist/client/assets', file)).size - bytes)
  const nearest = files.toSorted((a, b) => distance(a) - distance(b))[0]
  return `/assets/${nearest}`
}

async function routesOf(stack: Stack, data: BenchData): Promise<Route[]> {
  const page = { path: `/m/${data.slug}` }
  const bytes = await bytesOf(stack.url, page)
  const asset = assetNear(bytes)
  const assetBytes = await bytesOf(stack.url, { path: asset })
  const always = (name: string, call: Call): Route => ({ name, next: () => call })
  let posted = 0
  let rendered = 0
  let visited = 0
  return [
    always('bare Hono hello', { path: '/', headers: { Host: HELLO_HOST } }),
    always(`bare static asset (${assetBytes} bytes)`, { path: asset }),
    always(`bare one-query route (${bytes} bytes)`, {
      path: `/bench/query?slug=${data.slug}&bytes=${bytes}`,
    }),
    always(`page /m/:slug (${bytes} bytes)`, page),
    // An unknown cursor returns the first page, and each URL is rendered separately.
    { name: 'page /m/:slug, rendered', next: () => ({ path: `${page.path}?messages=none${rendered++}` }) },
    always('its JSON', { path: `/api/memorial/${data.slug}` }),
    always('invitation', { path: `/invite/${data.inviteToken}` }),
    {
      name: 'page of a relative',
      next: () => ({
        path: `/memorial/${data.inviteId}`,
        headers: {
          Cookie: `contributor-${data.inviteId}=${data.writers[visited++ % data.writers.length] ?? ''}`,
        },
      }),
    },
    always('dashboard', { path: '/api/dashboard', headers: { Cookie: data.ownerCookie } }),
    {
      name: 'admin search',
      connections: ADMINS,
      next: () => ({
        path: '/api/admin/memorials?search=Tendai%20Rudo',
        headers: { Cookie: data.adminCookie },
      }),
    },
    {
      name: 'message posted',
      atMost: MESSAGES_A_ROUND,
      next: () => ({
        method: 'POST',
        path: `/api/memorials/${data.inviteId}/comments`,
        headers: {
          'Content-Type': 'application/json',
          Origin: stack.url,
          'X-Contributor-Token': data.writers[posted++ % data.writers.length] ?? '',
        },
        body: JSON.stringify({ body: 'He let me hold the lamp. I thought I was helping.' }),
        status: 201,
      }),
    },
    always('range of a video (64 kB)', {
      path: `/media/stream/${data.videoId}`,
      headers: { Range: RANGE },
      status: 206,
    }),
  ]
}

/** The use of D1 by one call of each route. The first call does not count, because it loads code and wakes objects. */
async function d1UseOf({ stack, routes }: Server): Promise<(D1Use | null)[]> {
  const used: (D1Use | null)[] = []
  for (const { next } of routes) {
    await bytesOf(stack.url, next())
    await fetch(`${stack.url}/bench/d1`)
    await bytesOf(stack.url, next())
    const answer = await fetch(`${stack.url}/bench/d1?stop`)
    used.push((await answer.json()) as D1Use | null)
  }
  return used
}

/**
 * Measures requests per second of the most common calls with 10, 1,000 and 100,000 memorials in D1, next to bare Workers on the
 * same runtime. No cache is in front, so each page is rendered. All take turns, so that other load affects all equally.
 */
export async function measurePages(): Promise<void> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'nhaka-bench-'))
  await using stacks = new AsyncDisposableStack()
  const servers: Server[] = []
  const base = join(folder.path, 'base')
  const data = await makeWorld(base)
  for (const memorials of SIZES) {
    const state = join(folder.path, String(memorials))
    cpSync(base, state, { recursive: true })
    fillTo(join(state, 'worker'), memorials)
    const stack = stacks.use(await startMeasured(state))
    servers.push({ memorials, stack, pid: runtimePid(), routes: await routesOf(stack, data) })
  }
  const uses = []
  for (const server of servers) uses.push(await d1UseOf(server))
  const measured = await inTurns(servers)
  report('pages', rowsOf(servers, measured, uses))
}

/** Results by server, route and round. */
async function inTurns(servers: Server[]): Promise<Measured[][][]> {
  const measured: Measured[][][] = servers.map(({ routes }) => routes.map(() => []))
  for (let round = -1; round < ROUNDS; round++) {
    const seconds = round < 0 ? WARM_UP_SECONDS : ROUND_SECONDS
    for (const at of servers[0]?.routes.keys() ?? []) {
      for (const [which, { stack, pid, routes }] of servers.entries()) {
        const route = routes[at]
        if (!route) throw new Error('all servers have the same routes')
        const before = cpuMs(pid)
        const loaded = await load(stack.url, route.next, {
          connections: route.connections ?? CONNECTIONS,
          seconds,
          ...(route.atMost && { atMost: route.atMost }),
        })
        if (round >= 0)
          measured[which]?.[at]?.push({ ...loaded, cpuMs: (cpuMs(pid) - before) / loaded.timesMs.length })
      }
    }
  }
  return measured
}

function rowsOf(servers: Server[], measured: Measured[][][], uses: (D1Use | null)[][]): object[] {
  const of = (which: number, at: number, what: 'perSecond' | 'cpuMs') =>
    (measured[which]?.[at] ?? []).map((round) => round[what])
  return (servers[0]?.routes ?? []).flatMap(({ name }, at) =>
    servers.map(({ memorials }, which) => {
      const rounds = measured[which]?.[at] ?? []
      const own = of(which, at, 'perSecond')
      const times = rounds.flatMap(({ timesMs }) => timesMs)
      const use = uses[which]?.[at]
      return {
        call: name,
        memorials,
        perSecond: Math.round(median(own)),
        spreadPercent: spreadPercent(own),
        p50Ms: rounded(quantile(times, 0.5)),
        p99Ms: rounded(quantile(times, 0.99)),
        failed: rounds.reduce((sum, { failed }) => sum + failed, 0),
        ofHello: rounded(medianRatio(own, of(which, 0, 'perSecond'))),
        ofAsset: rounded(medianRatio(own, of(which, 1, 'perSecond'))),
        ofOneQuery: rounded(medianRatio(own, of(which, 2, 'perSecond'))),
        ofFewest: rounded(medianRatio(own, of(0, at, 'perSecond'))),
        cpuMs: rounded(median(of(which, at, 'cpuMs'))),
        cpuOneQueryOf: rounded(medianRatio(of(which, 2, 'cpuMs'), of(which, at, 'cpuMs'))),
        cpuOfFewest: rounded(medianRatio(of(which, at, 'cpuMs'), of(0, at, 'cpuMs'))),
        d1Trips: use?.trips ?? null,
        d1RowsRead: use?.rowsRead ?? null,
      }
    }),
  )
}
