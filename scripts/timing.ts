import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from './lib/build.ts'
import { mannWhitneyP } from './lib/mann-whitney.ts'
import { startStack, type Stack } from './lib/stack.ts'

/**
 * `npm run timing`: whether the time of an answer tells who has an account (A3 of the threat model). Each call is timed
 * for addresses that have an account and for such that have none, in turn. Ends with 1 where they can be told apart.
 */
const SAMPLES = 60
const WARM_UP = 15
/** Below this chance of being the same, two samples are told apart. */
const TOLD_APART_P = 0.01
const PASSWORD = 'Mutare in the rain'

let calls = 0

/**
 * Milliseconds until the whole answer was there. Every call comes from an address of its own, so no limit is met, and over a
 * connection of its own, so none is closed under it.
 */
function timed(stack: Stack, path: string, body: object): Promise<number> {
  calls++
  const headers = {
    Origin: stack.url.replace(/\/$/u, ''),
    'Content-Type': 'application/json',
    'CF-Connecting-IP': `10.${calls >> 16}.${(calls >> 8) & 255}.${calls & 255}`,
  }
  return new Promise((resolve, reject) => {
    const started = performance.now()
    const call = request(new URL(path, stack.url), { method: 'POST', headers, agent: false }, (answer) => {
      const { statusCode = 0 } = answer
      answer.resume()
      answer.on('end', () => {
        if (statusCode < 400 || statusCode === 401) resolve(performance.now() - started)
        else reject(new Error(`${path} answered ${statusCode}`))
      })
    })
    call.on('error', reject)
    call.end(JSON.stringify(body))
  })
}

/** So many confirmed accounts, all with the password hash of one that registered properly. */
async function accounts(stack: Stack, count: number): Promise<string[]> {
  await timed(stack, '/api/auth/register', {
    email: 'first@family.test',
    password: PASSWORD,
    firstName: 'R',
    lastName: 'M',
  })
  const emails = Array.from({ length: count }, (_, i) => `known${i}@family.test`)
  const insert = stack.db.prepare(
    `INSERT INTO users (id, email, first_name, last_name, password_hash, role, email_verified_at, session_epoch, terms_accepted_at, created_at, updated_at)
     SELECT ?, ?, first_name, last_name, password_hash, role, created_at, 0, terms_accepted_at, created_at, updated_at
     FROM users WHERE email = 'first@family.test'`,
  )
  await stack.db.batch(emails.map((email, i) => insert.bind(`usr_known${i}`, email)))
  return emails
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

async function compare(
  stack: Stack,
  path: string,
  known: readonly string[],
  bodyFor: (email: string) => object,
) {
  const times = { known: [] as number[], unknown: [] as number[] }
  for (const [i, email] of known.entries()) {
    const nobody = `nobody${i}.${path.length}@family.test`
    const pair = [
      async () => times.known.push(await timed(stack, path, bodyFor(email))),
      async () => times.unknown.push(await timed(stack, path, bodyFor(nobody))),
    ]
    for (const sample of i % 2 === 0 ? pair : pair.toReversed()) await sample()
  }
  const [knownTimes, unknownTimes] = [times.known.slice(WARM_UP), times.unknown.slice(WARM_UP)]
  const p = mannWhitneyP(knownTimes, unknownTimes)
  const round = (value: number) => Math.round(value * 100) / 100
  const [knownMs, unknownMs] = [median(knownTimes), median(unknownTimes)]
  return {
    call: path,
    knownMs: round(knownMs),
    unknownMs: round(unknownMs),
    differ: `${round((Math.abs(knownMs - unknownMs) / unknownMs) * 100)} %`,
    p: round(p),
    told: p < TOLD_APART_P ? 'APART' : 'no',
  }
}

build()
const state = mkdtempSync(join(tmpdir(), 'nhaka-timing-'))
const stack = await startStack({ port: 0, sandboxPort: 0, state })
try {
  const known = await accounts(stack, SAMPLES + WARM_UP)
  const rows = [
    await compare(stack, '/api/auth/login', known, (email) => ({ email, password: 'wrong guess' })),
    await compare(stack, '/api/auth/forgot-password', known, (email) => ({ email })),
    await compare(stack, '/api/auth/resend-verification', known, (email) => ({ email })),
    await compare(stack, '/api/auth/register', known, (email) => ({
      email,
      password: PASSWORD,
      firstName: 'Rudo',
      lastName: 'Moyo',
    })),
  ]
  console.table(rows)
  process.exitCode = rows.some(({ told }) => told === 'APART') ? 1 : 0
} finally {
  await stack.close()
  rmSync(state, { recursive: true, force: true })
}
