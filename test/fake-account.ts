import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import type { Wrangler } from '../tools/operate/cloud/wrangler.ts'

type FakeAccount = {
  databases: { uuid: string; name: string }[]
  namespaces: { id: string; title: string }[]
  buckets: string[]
  queues: string[]
  /** Worker -> secret -> value. */
  secrets: Record<string, Record<string, string>>
  /** The result of counting accounts in the database. */
  accounts: number
  calls: string[]
  /** SQL that was passed as a file, and that file's permissions. */
  files: { path: string; mode: number; sql: string }[]
  made: number
  /** Fails once, at the command that starts with `at`; with `isOutputLost` only the output is lost. */
  breaks?: { at: string; text: string; isOutputLost?: boolean } | undefined
}
type Answer = { status: number; stdout: string; stderr: string }

const done = (stdout = ''): Answer => ({ status: 0, stdout, stderr: '' })
const failed = (text: string): Answer => ({ status: 1, stdout: '', stderr: `✘ [ERROR] ${text}\n` })

/** What wrangler 4 prints for these arguments; updates the account and its list of calls. */
function answerAs(account: FakeAccount, args: string[], input: string): Answer {
  const invocation = args.join(' ')
  account.calls.push(invocation)
  const { breaks } = account
  if (!breaks || !invocation.startsWith(breaks.at)) return perform(account, args, input)
  account.breaks = undefined
  if (breaks.isOutputLost) perform(account, args, input)
  return failed(breaks.text)
}

function perform(account: FakeAccount, args: string[], input: string): Answer {
  const invocation = args.join(' ')
  const [, , second = '', third = ''] = args
  const env = args[args.indexOf('--env') + 1] ?? ''
  const worker = env === 'staging' ? 'nhaka-staging' : 'nhaka'
  const uuid = () => `0a1b2c3d-0000-4000-8000-${String(account.made++).padStart(12, '0')}`
  const is = (command: string) => invocation === command || invocation.startsWith(`${command} `)
  if (is('whoami --json')) return done('{"loggedIn":true}')
  if (is('d1 list --json')) return done(JSON.stringify(account.databases, null, 2))
  if (is('d1 create')) account.databases.push({ uuid: uuid(), name: second })
  else if (is('d1 execute') && args.includes('--file')) {
    const path = args[args.indexOf('--file') + 1] ?? ''
    account.files.push({ path, mode: statSync(path).mode & 0o777, sql: readFileSync(path, 'utf8') })
    // For a file, wrangler returns no rows, only the number of statements.
    return done('Executed 2 queries\n')
  } else if (is('d1 execute')) return done(JSON.stringify([{ results: [{ n: account.accounts }] }]))
  else if (is('d1 migrations apply') || is('deploy')) return done(`${invocation}\n`)
  else if (is('kv namespace list')) return done(JSON.stringify(account.namespaces, null, 2))
  else if (is('kv namespace create'))
    account.namespaces.push({ id: uuid().replaceAll('-', ''), title: third })
  else if (is('r2 bucket info')) {
    if (!account.buckets.includes(third)) return failed('The specified bucket does not exist. [code: 10006]')
  } else if (is('r2 bucket create')) account.buckets.push(third)
  else if (is('queues info')) {
    if (!account.queues.includes(second))
      return failed(`Queue "${second}" does not exist. To create it, run: wrangler queues create ${second}`)
  } else if (is('queues create')) {
    if (account.queues.includes(second)) return failed(`Queue name '${second}' is already taken.`)
    account.queues.push(second)
  } else if (is('secret list')) {
    const secrets = account.secrets[worker]
    if (!secrets)
      return failed(`Worker "${worker}" (env: ${env}) not found.\n\nIf this is a new Worker, deploy it.`)
    return done(JSON.stringify(Object.keys(secrets).map((name) => ({ name, type: 'secret_text' }))))
  } else if (is('secret put')) account.secrets[worker] = { ...account.secrets[worker], [second]: input }
  else return failed(`Unknown arguments: ${invocation}`)
  return done()
}

/**
 * A project folder with this repository's wrangler.toml and an account that keeps state, behind `wrangler` here and behind a
 * command of that name on PATH. `close` removes everything and restores PATH.
 */
export function openFakeAccount() {
  const root = mkdtempSync(join(tmpdir(), 'nhaka-account-'))
  const bin = join(root, 'bin')
  const state = join(root, 'account.json')
  const toml = join(root, 'wrangler.toml')
  mkdirSync(bin)
  const command = join(bin, 'wrangler')
  writeFileSync(
    command,
    `#!/bin/sh\nexec '${process.execPath}' --no-warnings '${import.meta.filename}' "$@"\n`,
  )
  chmodSync(command, 0o755)
  copyFileSync(resolve(import.meta.dirname, '../wrangler.toml'), toml)
  const before = process.env['PATH']
  process.env['PATH'] = [bin, before].join(delimiter)
  process.env['FAKE_ACCOUNT'] = state
  const read = () => JSON.parse(readFileSync(state, 'utf8')) as FakeAccount
  const write = (account: FakeAccount) => writeFileSync(state, JSON.stringify(account))
  const change = (part: Partial<FakeAccount>) => write({ ...read(), ...part })
  const empty = {
    databases: [],
    namespaces: [],
    buckets: [],
    queues: [],
    secrets: {},
    accounts: 0,
    calls: [],
    files: [],
  }
  write({ ...empty, made: 1 })
  const wrangler: Wrangler = (words, { input = '' } = {}) => {
    const account = read()
    const { status, stdout, stderr } = answerAs(account, words, input)
    write(account)
    return { isDone: status === 0, stdout, said: `${stdout}${stderr}`.trim() }
  }
  return {
    root,
    wrangler,
    toml: () => readFileSync(toml, 'utf8'),
    writeToml: (text: string) => writeFileSync(toml, text),
    read,
    change,
    /** The commands since the last call, without those that only read. */
    takeWrites() {
      const { calls } = read()
      change({ calls: [] })
      return calls.filter((call) => !/^(?:whoami|\S+ (?:\S+ )?(?:list|info)\b|d1 execute)/u.test(call))
    },
    close() {
      process.env['PATH'] = before
      delete process.env['FAKE_ACCOUNT']
      rmSync(root, { recursive: true, force: true })
    },
  }
}

/** As a command: the file FAKE_ACCOUNT holds the account. */
if (import.meta.main) {
  const file = process.env['FAKE_ACCOUNT'] ?? ''
  const account = JSON.parse(readFileSync(file, 'utf8')) as FakeAccount
  const { status, stdout, stderr } = answerAs(account, process.argv.slice(2), readFileSync(0, 'utf8'))
  writeFileSync(file, JSON.stringify(account))
  process.stdout.write(stdout)
  process.stderr.write(stderr)
  process.exitCode = status
}
