import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { unstable_readConfig as readConfig } from 'wrangler'
import { build } from '../build/lib/build.ts'
import { waitForHealth } from './local/health.ts'
import { pidFileOf, pidsIn } from './local/local-state.ts'
import { startStack } from './local/stack.ts'
import { DEMO, seedDemo } from './seed.ts'

const root = resolve(import.meta.dirname, '../..')
const port = Number(process.env['PORT'] ?? 8787)
const sandboxPort = Number(process.env['SANDBOX_PORT'] ?? 8788)
const state = resolve(root, process.env['NHAKA_STATE'] ?? '.nhaka')
mkdirSync(state, { recursive: true })

/** Kills the processes of an earlier run that was itself killed: they would still use the ports and the data. */
function endLeftover(): void {
  for (const pid of pidsIn(state)) {
    if (/workerd|tools\/operate\/start\.ts/u.test(commandOf(pid))) process.kill(pid, 'SIGKILL')
  }
}

/** The command line of a process; empty if it has exited or the system has no /proc. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

/** Pids of this process's children, which run the Worker; none on systems without /proc. */
function runtimePids(): number[] {
  try {
    const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8')
    return children.trim().split(' ').map(Number).filter(Boolean)
  } catch {
    return []
  }
}

function fieldMatches(field: string, value: number): boolean {
  if (field === '*') return true
  if (field.startsWith('*/')) return value % Number(field.slice(2)) === 0
  return field.split(',').map(Number).includes(value)
}

/** True if a five-field cron expression of wrangler.toml (`*`, steps, lists) is due in this UTC minute. */
function isDue(cron: string, at: Date): boolean {
  const [minute = '*', hour = '*', day = '*', month = '*', weekday = '*'] = cron.split(' ')
  return (
    fieldMatches(minute, at.getUTCMinutes()) &&
    fieldMatches(hour, at.getUTCHours()) &&
    fieldMatches(day, at.getUTCDate()) &&
    fieldMatches(month, at.getUTCMonth() + 1) &&
    fieldMatches(weekday, at.getUTCDay())
  )
}

/** The demo's public memorial: the one in this folder, or the one that will be created. */
function exampleSlug(): string {
  if (!existsSync(seeded)) return DEMO.publicSlug
  return (JSON.parse(readFileSync(seeded, 'utf8')) as { publicSlug: string }).publicSlug
}

const seeded = resolve(state, 'seeded.json')
const pidFile = pidFileOf(state)
endLeftover()
rmSync(pidFile, { force: true })
console.log('Building …')
build()
const stack = await startStack({ port, sandboxPort, state, exampleSlug: exampleSlug() })
writeFileSync(pidFile, [process.pid, ...runtimePids()].join('\n'))

const { triggers } = readConfig({ config: resolve(root, 'wrangler.toml') })
const worker = await stack.miniflare.getWorker()
const clock = setInterval(() => {
  for (const cron of triggers.crons ?? []) {
    if (isDue(cron, new Date()))
      void worker.scheduled({ cron }).catch((error: unknown) => console.error(error))
  }
}, 60_000)

async function close(code = 0): Promise<void> {
  clearInterval(clock)
  await stack.close()
  rmSync(pidFile, { force: true })
  process.exit(code)
}
// If the parent process was killed, nothing else would stop this one.
const parent = process.ppid
setInterval(() => {
  if (process.ppid !== parent) void close()
}, 1000).unref()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void close())

if (!existsSync(seeded)) {
  console.log('Creating the demo …')
  try {
    const demo = await seedDemo({ url: stack.url, sandboxUrl: stack.sandboxUrl, db: stack.db })
    writeFileSync(seeded, JSON.stringify(demo, null, 2))
  } catch (error) {
    console.error('Could not create the demo. Delete the data folder and try again.', error)
    await close(1)
  }
}
const { isReady, said } = await waitForHealth(stack.url, { tries: 30, betweenMs: 1000 })
if (!isReady) {
  console.error(`Not ready: ${said}`)
  await close(1)
}
const demo = JSON.parse(readFileSync(seeded, 'utf8')) as Partial<Awaited<ReturnType<typeof seedDemo>>>

console.log(`
  Nhaka            ${stack.url}
  Public memorial  ${stack.url}/m/${demo.publicSlug}
  Invitation       ${demo.inviteLink}
  Mailbox          ${stack.sandboxUrl}/mailbox
  Webhooks         ${stack.sandboxUrl}/webhooks
  Phones           ${stack.sandboxUrl}/phone

  Owner            ${DEMO.owner.email}   ${DEMO.password}
  Admin            ${DEMO.admin.email}   ${DEMO.password}
  Code for admins  ${demo.adminSecret ? `npm run admin -- code ${demo.adminSecret}` : 'set up your own: the console asks for it'}
  Card             4242 4242 4242 4242, any future date, any CVC. No money moves.

  Data: ${process.env['NHAKA_STATE'] ?? '.nhaka'}   Ctrl-C ends everything.
`)
