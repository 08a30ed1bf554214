import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

const ROOT = resolve(import.meta.dirname, '../..')
/** Closing waits for a runtime that is dead already; by then it is ended by force. */
const CLOSE_TIMEOUT_MS = 8000

/** Where a server runs that is killed and started again on the same data. */
export type KilledWorld = { state: string; port: number; sandboxPort: number }

/** `npm start` without npm and without a demo, until it says that it serves. */
export async function startWorld({ state, port, sandboxPort }: KilledWorld): Promise<ChildProcess> {
  mkdirSync(state, { recursive: true })
  // A state that says it has its demo: whoever kills it makes its own memorials.
  const seeded = join(state, 'seeded.json')
  if (!existsSync(seeded)) writeFileSync(seeded, JSON.stringify({ publicSlug: '', inviteLink: '' }))
  const child = spawn('node', ['--disable-warning=ExperimentalWarning', 'tools/operate/start.ts'], {
    cwd: ROOT,
    detached: true,
    env: { ...process.env, NHAKA_STATE: state, PORT: String(port), SANDBOX_PORT: String(sandboxPort) },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await new Promise<void>((done, fail) => {
    child.stdout.on('data', (chunk: Buffer) => {
      if (chunk.includes('Ctrl-C ends everything')) done()
    })
    child.once('exit', (code) => fail(new Error(`start ended with ${code}`)))
  })
  return child
}

/** Kills the runtime without warning, in the middle of whatever it does; then ends what had started it. */
export async function killRuntime({ state }: KilledWorld, child: ChildProcess): Promise<void> {
  const pids = readFileSync(join(state, 'runtime.pids'), 'utf8').split('\n').map(Number).filter(Boolean)
  const runtime = pids.filter((pid) => pid !== child.pid)
  if (runtime.length === 0) throw new Error('the runtime to kill is not known')
  for (const pid of runtime) process.kill(pid, 'SIGKILL')
  await endWorld(child)
}

/** Ends the server in good order, so that what the sandbox knows is written down. */
export async function endWorld(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const withDeadline = await Promise.race([ended.then(() => true), wait(CLOSE_TIMEOUT_MS, false)])
  if (withDeadline) return
  process.kill(-(child.pid ?? 0), 'SIGKILL')
  await ended
}
