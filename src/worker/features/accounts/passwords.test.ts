import { expect, test, vi } from 'vitest'
import { users } from '#worker/schema/accounts.table.ts'
import { COMMON_PASSWORDS } from '#worker/features/accounts/common-passwords.ts'
import { checkPassword, hashPassword } from '#worker/features/accounts/passwords.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import * as scrypt from '#worker/platform/scrypt.ts'
import { confirmed, newEmail, PASSWORD, registration } from '../../../../test/worker/accounts.ts'
import { takeErrorLines } from '../../../../test/worker/error-lines.ts'
import { Client, signedIn, testCtx } from '../../../../test/worker/harness.ts'
import { rowsOf } from '../../../../test/worker/rows.ts'

const MESSAGE = 'This password is too common'
const logIn = async (email: string, password: string) =>
  (await new Client().post('/api/auth/login', { email, password })).status
const refusal = async (password: string, email = newEmail()) =>
  (await new Client().post('/api/auth/register', registration(email, password))).body.fields

test('common passwords from the whole list are refused in any letter case', async () => {
  const common = COMMON_PASSWORDS.split(' ')
  expect(common).toHaveLength(3000)
  const some = Array.from({ length: 12 }, (_, i) => common[Math.floor((i * (common.length - 1)) / 11)] ?? '')
  for (const password of [...some, ...some.slice(0, 3).map((word) => word.toUpperCase())]) {
    expect([password, await refusal(password)]).toEqual([password, { password: MESSAGE }])
  }
})

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

test('no call that sets a password accepts the address of its user', async () => {
  const email = `tendai.moyo.${newEmail()}`
  for (const password of [email, email.toUpperCase(), email.slice(0, email.indexOf('@'))]) {
    expect(await refusal(password, email)).toEqual({ password: MESSAGE })
  }
  const client = await signedIn({ email })
  const answer = await client.post('/api/account/password', { currentPassword: 'x', newPassword: email })
  expect(answer).toMatchObject({ status: 400, body: { fields: { newPassword: MESSAGE } } })
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
