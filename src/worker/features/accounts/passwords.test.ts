import { expect, test, vi } from 'vitest'
import { users } from '#worker/schema/accounts.table.ts'
import dataUri from '#worker/features/accounts/common-passwords.bin?url&inline'
import { isCommonPassword, isOwnName } from '#worker/features/accounts/common-passwords.ts'
import { checkPassword, hashPassword } from '#worker/features/accounts/passwords.ts'
import { bytesOfDataUri } from '#worker/platform/bytes.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import * as scrypt from '#worker/platform/scrypt.ts'
import { confirmed, newEmail, PASSWORD, registration } from '../../../../test/worker/accounts.ts'
import { takeErrorLines } from '../../../../test/worker/runtime/error-lines.ts'
import { Client, signedIn, testCtx } from '../../../../test/worker/harness.ts'
import { mailboxOf, tokenIn } from '../../../../test/worker/mailbox.ts'
import { rowsOf } from '../../../../test/worker/rows.ts'

const MESSAGE = 'This password is too common'
const logIn = async (email: string, password: string) =>
  (await new Client().post('/api/auth/login', { email, password })).status
const refusal = async (password: string, email = newEmail()) =>
  (await new Client().post('/api/auth/register', registration(email, password))).body.fields

/** From the list of the 100,000 most common passwords, each with its rank. The last one is the list's last. */
const COMMON = {
  password: 1,
  iloveyou2: 1487,
  sunshine1: 3635,
  carpediem: 5003,
  zimbabwe: 6037,
  trinity3: 15_001,
  '24081966': 25_001,
  adgjmptw0: 37_502,
  batman78: 47_503,
  lkjhgfdsaq: 52_501,
  marmolada: 62_501,
  nikita1234: 77_501,
  dallastexas: 85_001,
  '3553435534': 90_002,
  smokey24: 100_000,
}

test.each(Object.entries(COMMON))('%s, the %ith most common password, is refused', async (password) => {
  expect(await refusal(password)).toEqual({ password: MESSAGE })
  expect(await refusal(password.toUpperCase())).toEqual({ password: MESSAGE })
})

test('the filter holds 100,000 passwords and takes 1 of 10,000 others for one at most', () => {
  const filter = bytesOfDataUri(dataUri)
  let set = 0
  for (const byte of filter) for (let rest = byte; rest > 0; rest >>= 1) set += rest & 1
  const bits = filter.length * 8
  // https://en.wikipedia.org/wiki/Bloom_filter#Approximating_the_number_of_items_in_a_Bloom_filter
  const entries = (-bits / 14) * Math.log(1 - set / bits)
  expect(Math.round(entries / 1000)).toBe(100)
  const others = Array.from({ length: 30_000 }, (_, i) => `none of them is common ${i}`)
  expect(others.filter(isCommonPassword).length).toBeLessThanOrEqual(3)
})

test.each(['mutare in the rain', 'granite-and-msasa', 'sunbird-over-chimanimani', 'Tafara, June 1975'])(
  'a sentence or an uncommon word (%s) is accepted',
  (password) => {
    expect(isCommonPassword(password)).toBe(false)
  },
)

test.each([
  'memorial',
  'Memorials',
  'MEMORIAL2026',
  'memorial-123!',
  'nhakanhaka',
  'Nhaka2026!',
  'Nhaka Memorial',
  'keepinglegaciesalive',
  'Keeping Legacies Alive',
  'Legacies-Alive-1',
])('our brand name with a few digits (%s) is refused', async (password) => {
  expect(await refusal(password)).toEqual({ password: MESSAGE })
})

const OWN_NAME = 'This password is too common. Please don’t use your own name or email address.'
const PERSON = { email: 'chipo.m75@nhamo.test', firstName: 'Chipo Anesu', lastName: 'Mudzingwa-Dubé' }

test.each([
  'chipo.m75@nhamo.test',
  'CHIPO.M75@Nhamo.Test',
  'chipo.m75@nhamo.test1!',
  'chipo.m75',
  'chipochipo',
  'Chipo1975',
  'anesu 1975-03-12',
  'mudzingwa',
  'MudzingwaChipo',
  'Chipo Mudzingwa!',
  'Dube_Chipo_77',
  'dubé2026',
])('one’s own name or address, also with digits and signs (%s), is refused', (password) => {
  expect(isOwnName(password, PERSON)).toBe(true)
})

test.each(['chipo loves jazz', 'mudzingwak', 'our chipo 1975', '19750312', 'Mutare in the rain'])(
  'a name among other words (%s) is accepted',
  (password) => {
    expect(isOwnName(password, PERSON)).toBe(false)
  },
)

test('an own-name check takes no time that grows with the tries of a made-up name', () => {
  const person = { email: 'aa@aa.test', firstName: 'aa aaa aaaa', lastName: 'aaaaa' }
  expect(isOwnName(`${'a'.repeat(127)}b`, person)).toBe(false)
  expect(isOwnName('a'.repeat(128), person)).toBe(true)
})

test('no call that sets a password accepts the name or address of its user', async () => {
  const email = `tendai.moyo.${newEmail()}`
  for (const password of [email, email.toUpperCase(), email.slice(0, email.indexOf('@')), 'Moyo-Rudo-1975']) {
    expect(await refusal(password, email)).toEqual({ password: OWN_NAME })
  }
  const client = await signedIn({ email })
  for (const newPassword of [email, 'RudoMoyo75']) {
    const answer = await client.post('/api/account/password', { currentPassword: 'x', newPassword })
    expect(answer).toMatchObject({ status: 400, body: { fields: { newPassword: OWN_NAME } } })
  }
  await client.post('/api/auth/forgot-password', { email })
  const token = tokenIn((await mailboxOf(email, 1))[0])
  const reset = (password: string) => client.post('/api/auth/reset-password', { token, password })
  expect(await reset('RudoMoyo75')).toMatchObject({ status: 400, body: { fields: { password: OWN_NAME } } })
  expect((await reset(PASSWORD)).status).toBe(200)
})

test('every one of 64 characters counts, including emoji, spaces and letter case', async () => {
  const long = ` ${'Sadza 🕊️ & muriwo '.repeat(4)}`.slice(0, 63) + 'é'
  expect([...long].length).toBeGreaterThan(58)
  const email = await confirmed(long)
  expect(await logIn(email, long)).toBe(200)
  for (const other of [
    `${long.slice(0, -1)}e`,
    long.slice(0, -1),
    `${long} `,
    long.trim(),
    long.toLowerCase(),
    long.normalize('NFD'),
    long.replace('🕊️', '🕊'),
  ]) {
    expect([other, await logIn(email, other)]).toEqual([other, 401])
  }
})

/** Returns a stored hash with its parameters replaced. */
const withParameters = (stored: string, parameters: string) =>
  stored.replace(/ln=\d+,r=\d+,p=\d+/u, parameters)

test('a stored hash with out-of-range parameters is never computed or matched', async () => {
  const ctx = testCtx()
  const stored = await hashPassword(ctx, PASSWORD)
  const deriveKey = vi.spyOn(scrypt, 'deriveScryptKey')
  const answers: string[] = []
  for (const parameters of [
    'ln=24,r=8,p=5',
    'ln=16,r=8,p=5',
    'ln=14,r=99,p=5',
    'ln=14,r=9,p=5',
    'ln=14,r=8,p=11',
    'ln=0,r=8,p=5',
    'ln=14,r=0,p=5',
    'ln=14,r=8,p=0',
    'ln=-1,r=8,p=5',
    'ln=1e3,r=8,p=5',
    'ln=99999999999,r=8,p=5',
  ]) {
    const answer = await checkPassword(ctx, PASSWORD, withParameters(stored, parameters))
    answers.push(JSON.stringify(answer))
  }
  for (const broken of [
    '',
    'none',
    '$scrypt$',
    `${stored}x`,
    stored.slice(0, -1),
    stored.replace('scrypt', 'md5'),
  ]) {
    answers.push(JSON.stringify(await checkPassword(ctx, PASSWORD, broken)))
  }
  expect(new Set(answers)).toEqual(new Set(['{"isRight":false,"isOutdated":false}']))
  // An unreadable hash takes as much time as a readable one.
  expect(deriveKey.mock.calls.map(([, , cost]) => cost)).toEqual(answers.map(() => ({ ln: 14, r: 8, p: 5 })))
  expect(await checkPassword(ctx, PASSWORD, stored)).toEqual({ isRight: true, isOutdated: false })
})

test('a hash with an unknown pepper matches nothing, and the log names its id', async () => {
  const ctx = testCtx()
  const other: Ctx = { ...ctx, env: { ...ctx.env, PASSWORD_PEPPER: 'the one before' } }
  const stored = await hashPassword(other, PASSWORD)
  expect(await checkPassword(ctx, PASSWORD, stored)).toEqual({ isRight: false, isOutdated: false })
  const [line, ...more] = takeErrorLines()
  expect(more).toEqual([])
  expect(line).toContain('password_pepper_unknown')
  expect(line).toContain(/keyid=([0-9a-f]{8})/u.exec(stored)?.[1])
  expect(line).not.toContain('the one before')
  expect(await checkPassword(other, PASSWORD, stored)).toEqual({ isRight: true, isOutdated: false })
})

test('signing in moves a hash from the old pepper to the new one', async () => {
  const before = testCtx()
  const stored = await hashPassword(before, PASSWORD)
  const { PASSWORD_PEPPER: old } = before.env
  const env = { ...before.env, PASSWORD_PEPPER: 'the new one', PASSWORD_PEPPER_OLD: old as string }
  const during: Ctx = { ...before, env }
  expect(await checkPassword(during, PASSWORD, stored)).toEqual({ isRight: true, isOutdated: true })
  expect(await checkPassword(during, 'not this one', stored)).toEqual({ isRight: false, isOutdated: true })
  const renewed = await hashPassword(during, PASSWORD)
  const { PASSWORD_PEPPER_OLD: gone, ...after } = env
  expect(gone).toBe(old)
  expect(await checkPassword({ ...before, env: after }, PASSWORD, renewed)).toEqual({
    isRight: true,
    isOutdated: false,
  })
})

test('two users with the same password have different hashes, never the plain text', async () => {
  const [one, two] = [await confirmed(), await confirmed()]
  const hashOf = async (email: string) => {
    const [row] = await rowsOf(users, { email })
    return row?.passwordHash ?? ''
  }
  const hashes = [await hashOf(one), await hashOf(two)]
  expect(hashes[0]).not.toBe(hashes[1])
  expect(hashes.join()).not.toContain(PASSWORD)
  expect(new Set(hashes.map((hash) => hash.split('$').at(-1))).size).toBe(2)
})
