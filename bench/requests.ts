import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { startStack } from '../scripts/lib/stack.ts'
import { seedDemo } from '../scripts/seed.ts'
import { report, rounded } from './results.ts'

const WARM_UP = 200
const REQUESTS = 2000
const CONNECTIONS = 16

type Measured = { name: string; perSecond: number; p50Ms: number; p99Ms: number }

async function measure(name: string, url: string): Promise<Measured> {
  const times: number[] = []
  async function load(count: number, keep: boolean): Promise<void> {
    let left = count
    const line = async () => {
      while (left-- > 0) {
        const started = performance.now()
        const response = await fetch(url)
        await response.arrayBuffer()
        if (!response.ok) throw new Error(`${url} answered ${response.status}`)
        if (keep) times.push(performance.now() - started)
      }
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, line))
  }
  await load(WARM_UP, false)
  const started = performance.now()
  await load(REQUESTS, true)
  const seconds = (performance.now() - started) / 1000
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => rounded(sorted[Math.floor(sorted.length * share)] ?? 0)
  return { name, perSecond: Math.round(REQUESTS / seconds), p50Ms: at(0.5), p99Ms: at(0.99) }
}

/** Requests a second of our answers, as a ratio to a bare Worker's on the same runtime in the same run. */
export async function measureRequests(): Promise<void> {
  const state = mkdtempSync(join(tmpdir(), 'nhaka-bench-'))
  const stack = await startStack({ port: 0, sandboxPort: 0, state })
  const bare = new Miniflare(
    convertV4MiniflareOptions({
      name: 'bare',
      modules: true,
      script: 'export default { fetch() { return new Response("hello") } }',
      compatibilityDate: '2026-08-01',
    }),
  )
  try {
    const demo = await seedDemo(stack)
    const hello = await measure('a bare Worker', String(await bare.ready))
    const ours = [
      await measure('page /m/:slug', `${stack.url}/m/${demo.publicSlug}`),
      await measure('JSON /api/memorial/:slug', `${stack.url}/api/memorial/${demo.publicSlug}`),
    ]
    const rows = [hello, ...ours].map((row) =>
      Object.assign(row, { ratio: rounded(row.perSecond / hello.perSecond) }),
    )
    report('requests', rows)
  } finally {
    await bare.dispose()
    await stack.close()
    rmSync(state, { recursive: true, force: true })
  }
}
