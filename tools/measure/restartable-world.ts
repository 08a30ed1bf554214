import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../operate/local/free-port.ts'
import { pidsIn, skipDemo } from '../operate/local/local-state.ts'

const ROOT = resolve(import.meta.dirname, '../..')
/** start.ts may wait for the dead runtime when it closes; after this time it is killed. */
const CLOSE_TIMEOUT_MS = 8000

/** Data folder and ports of a server that is killed and restarted. */
export type RestartableWorld = { state: string; port: number; sandboxPort: number }

/** A server on this folder, with free ports. */
export async function newWorld(state: string): Promise<RestartableWorld> {
  return { state, port: await freePort(), sandboxPort: await freePort() }
}

/** Runs start.ts without a demo, and waits until it is ready. Throws an Error if it exits. */
export async function startWorld({ state, port, sandboxPort }: RestartableWorld): Promise<ChildProcess> {
  // Each test creates its own memorials.
  skipDemo(state)
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
    child.once('exit', (code) => fail(new Error(`start.ts exited with ${code}`)))
  })
  return child
}

/** Kills the runtime without warning, then stops the process that started it. Throws an Error if its pid is unknown. */
export async function killRuntime({ state }: RestartableWorld, child: ChildProcess): Promise<void> {
  const runtime = pidsIn(state).filter((pid) => pid !== child.pid)
  if (runtime.length === 0) throw new Error('the pid of the runtime is unknown')
  for (const pid of runtime) process.kill(pid, 'SIGKILL')
  await endWorld(child)
}

/** Stops the server gracefully, so that the sandbox saves its records. */
export async function endWorld(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const hasExited = await Promise.race([ended.then(() => true), wait(CLOSE_TIMEOUT_MS, false)])
  if (hasExited) return
  process.kill(-(child.pid ?? 0), 'SIGKILL')
  await ended
}
