import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import type { Wrangler } from '../tools/operate/cloud/wrangler.ts'
import { answerAs, type FakeAccount } from './fake-wrangler.ts'

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
  const script = resolve(import.meta.dirname, 'fake-wrangler.ts')
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' --no-warnings '${script}' "$@"\n`)
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
