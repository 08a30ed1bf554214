import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'

export type FakeAccount = {
  databases: { uuid: string; name: string }[]
  namespaces: { id: string; title: string }[]
  buckets: string[]
  queues: string[]
  /** Worker -> secret -> value. */
  secrets: Record<string, Record<string, string>>
  /** What counting accounts in the database gives. */
  accounts: number
  calls: string[]
  made: number
  /** Fails once, at the command that begins with `at`; with `isDoneAllTheSame` the answer alone is lost. */
  breaks?: { at: string; text: string; isDoneAllTheSame?: boolean }
}

/**
 * A project folder with our wrangler.toml, and a `wrangler` on PATH that plays an account which remembers. `close` takes both
 * away and puts PATH back.
 */
export function openFakeAccount() {
  const root = mkdtempSync(join(tmpdir(), 'nhaka-account-'))
  const bin = join(root, 'bin')
  const state = join(root, 'account.json')
  const toml = join(root, 'wrangler.toml')
  mkdirSync(bin)
  const command = join(bin, 'wrangler')
  const script = resolve(import.meta.dirname, 'fixtures/fake-wrangler.mjs')
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`)
  chmodSync(command, 0o755)
  copyFileSync(resolve(import.meta.dirname, '../wrangler.toml'), toml)
  const before = process.env['PATH']
  process.env['PATH'] = `${bin}${delimiter}${before ?? ''}`
  process.env['FAKE_ACCOUNT'] = state
  const read = () => JSON.parse(readFileSync(state, 'utf8')) as FakeAccount
  const change = (part: Partial<FakeAccount>) => writeFileSync(state, JSON.stringify({ ...read(), ...part }))
  writeFileSync(
    state,
    JSON.stringify({
      databases: [],
      namespaces: [],
      buckets: [],
      queues: [],
      secrets: {},
      accounts: 0,
      calls: [],
      made: 1,
    } satisfies FakeAccount),
  )
  return {
    root,
    toml: () => readFileSync(toml, 'utf8'),
    writeToml: (text: string) => writeFileSync(toml, text),
    read,
    change,
    /** The commands since the last time, without those that only look. */
    deeds() {
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
