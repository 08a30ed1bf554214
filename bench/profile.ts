import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../scripts/lib/free-port.ts'
import { startStack } from '../scripts/lib/stack.ts'
import { load } from './load.ts'
import { report } from './results.ts'
import { rounded } from './statistics.ts'
import { makeWorld } from './world.ts'

const SECONDS = 6
const SHOWN = 45

type Frame = { functionName: string; url: string; lineNumber: number; columnNumber: number }
type Node = { id: number; callFrame: Frame; children?: number[] }
type Profile = { nodes: Node[]; samples: number[]; timeDeltas: number[] }
type Message = { id?: number; result?: { profile?: Profile } }

/** Speaks to the runtime's debugger as a browser's developer tools do. */
async function attach(port: number) {
  const listed = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as {
    id: string
    title: string
    webSocketDebuggerUrl: string
  }[]
  const target = listed.find(({ id }) => id.includes('nhaka'))
  if (!target) throw new Error(`The runtime shows ${listed.map(({ id }) => id).join(', ')}`)
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true })
    socket.addEventListener('error', reject, { once: true })
  })
  let last = 0
  const send = (method: string, params: object = {}) =>
    new Promise<Message>((resolve) => {
      const id = ++last
      const hear = ({ data }: MessageEvent) => {
        const message = JSON.parse(String(data)) as Message
        if (message.id !== id) return
        socket.removeEventListener('message', hear)
        resolve(message)
      }
      socket.addEventListener('message', hear)
      socket.send(JSON.stringify({ id, method, params }))
    })
  return { send, close: () => socket.close() }
}

/** Milliseconds a request by function: its own, and with all that it calls. */
function costs({ nodes, samples, timeDeltas }: Profile, requests: number): object[] {
  const own = new Map<number, number>()
  for (const [at, id] of samples.entries()) own.set(id, (own.get(id) ?? 0) + (timeDeltas[at] ?? 0))
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const nameOf = ({ functionName, lineNumber, columnNumber }: Frame) =>
    `${functionName || '(anonymous)'}:${lineNumber + 1}:${columnNumber + 1}`
  const byName = new Map<string, { own: number; all: number }>()
  const walk = (node: Node, above: ReadonlySet<string>): number => {
    const name = nameOf(node.callFrame)
    const within = new Set(above).add(name)
    const children = (node.children ?? []).flatMap((id) => byId.get(id) ?? [])
    const all = children.reduce((sum, child) => sum + walk(child, within), own.get(node.id) ?? 0)
    const before = byName.get(name) ?? { own: 0, all: 0 }
    byName.set(name, {
      own: before.own + (own.get(node.id) ?? 0),
      // What calls itself is counted where it was called first.
      all: before.all + (above.has(name) ? 0 : all),
    })
    return all
  }
  const [root] = nodes
  if (root) walk(root, new Set())
  const perRequest = (microseconds: number) => rounded(microseconds / 1000 / requests)
  return [...byName]
    .map(([name, { own: self, all }]) => ({
      function: name,
      ownMs: perRequest(self),
      allMs: perRequest(all),
    }))
    .toSorted((a, b) => b.allMs - a.allMs)
    .slice(0, SHOWN)
}

/** Where the time of a public page that nothing keeps goes, inside our Worker, by the runtime's own profiler. */
export async function measureProfile(): Promise<void> {
  const state = mkdtempSync(join(tmpdir(), 'nhaka-bench-'))
  try {
    const cast = await makeWorld(state)
    const inspectorPort = await freePort()
    const stack = await startStack({ port: 0, sandboxPort: 0, state, inspectorPort })
    try {
      const page = () => ({ path: `/m/${cast.slug}` })
      await load(stack.url, page, { connections: 8, seconds: 3 })
      const debug = await attach(inspectorPort)
      await debug.send('Profiler.enable')
      await debug.send('Profiler.setSamplingInterval', { interval: 100 })
      await debug.send('Profiler.start')
      const { timesMs } = await load(stack.url, page, { connections: 8, seconds: SECONDS })
      const { result } = await debug.send('Profiler.stop')
      debug.close()
      if (!result?.profile) throw new Error('The runtime gave no profile')
      report('profile', costs(result.profile, timesMs.length))
    } finally {
      await stack.close()
    }
  } finally {
    rmSync(state, { recursive: true, force: true })
  }
}
