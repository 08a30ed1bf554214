import { like } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { emailInput } from '#shared/accounts/accounts.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { randomBase32 } from '#worker/platform/random.ts'
import { PASSWORD, registration } from '../../../../test/worker/accounts.ts'
import { Client, testCtx } from '../../../../test/worker/harness.ts'
import { mailboxOf, receivedBy, tokenIn } from '../../../../test/worker/mailbox.ts'
import { rowsOf } from '../../../../test/worker/rows.ts'

const register = async (email: string, client = new Client()) =>
  (await client.post('/api/auth/register', registration(email))).status

test('letter case and surrounding spaces do not make another account', async () => {
  const name = randomBase32(12)
  const address = `${name}@family.test`
  expect(await register(`${name.toUpperCase()}@Family.Test`)).toBe(201)
  await mailboxOf(address, 1)
  const client = new Client()
  expect(await register(`  ${address}\u200b `, client)).toBe(201)
  const [mail] = await mailboxOf(address, 2)
  const rows = await testCtx()
    .db.select()
    .from(users)
    .where(like(users.email, `%${name}%`))
  expect(rows.map(({ email }) => email)).toEqual([address])
  await client.get(`/api/auth/verify-email/${tokenIn(mail)}`)
  const login = await new Client().post('/api/auth/login', {
    email: `${name.toUpperCase()}@FAMILY.TEST`,
    password: PASSWORD,
  })
  expect(login.status).toBe(200)
})

/** Addresses that some systems have confused with `kim@family.test`, which belongs to somebody else. */
const LOOK_ALIKES = [
  'kim@family.test',
  'ｋｉｍ@family.test',
  'kim@family.test'.replace('k', '\u212a'),
  'kim@ﬁmily.test',
  'kım@family.test',
  'kİm@family.test',
  'кim@family.test',
  'k\u0131m@family.test',
  'ki\u0307m@family.test',
  'kim@fam\u0131ly.test',
  'kim@family。test',
  'kim@family．test',
  'kim＠family.test',
  '𝐤im@family.test',
  'ⓚim@family.test',
  'ki\u00adm@family.test',
  'ki\u034fm@family.test',
  'ki\u200bm@family.test',
  'ki\ufeffm@family.test',
]

test('a look-alike address is refused and never matches the real one', async () => {
  const [real, ...others] = LOOK_ALIKES
  const known = new Set((await testCtx().db.select().from(users)).map(({ id }) => id))
  expect(await register(real ?? '')).toBe(201)
  await mailboxOf(real ?? '', 1)
  for (const email of others) expect([email, await register(email)]).toEqual([email, 400])
  for (const email of others.slice(0, 3)) {
    const { status } = await new Client().post('/api/auth/forgot-password', { email })
    expect([email, status]).toEqual([email, 400])
  }
  const added = (await testCtx().db.select().from(users)).filter(({ id }) => !known.has(id))
  expect(added.map(({ email }) => email)).toEqual([real])
  expect(await receivedBy(real ?? '')).toHaveLength(1)
})

/** Inputs that added a header, a recipient or a display name in other products (OWASP, fuzzdb/attack/email). */
const HOSTILE = [
  'a@family.test\r\nBcc: b@family.test',
  'a@family.test\nBcc: b@family.test',
  'a@family.test%0ABcc:b@family.test\r',
  'a\r\n@family.test',
  'a\u0000b@family.test',
  'a\u0008b@family.test',
  'a\u007fb@family.test',
  'a\u001b[2J@family.test',
  'a@family.test,b@family.test',
  'a@family.test;b@family.test',
  'a@family.test b@family.test',
  '<b@family.test>a@family.test',
  'Support <a@family.test>',
  '"Support" <a@family.test>',
  '"a b"@family.test',
  '"a@family.test"@evil.test',
  'a(comment)@family.test',
  'a@family.test(comment)',
  'a@[127.0.0.1]',
  'a@[IPv6:::1]',
  'a@b@family.test',
  '🕊@family.test',
  'a@family.test\\',
  'a\\@family.test',
  'a:b@family.test',
  '@b.test:a@family.test',
  'a@-family.test',
  'a@family-.test',
  'a@family..test',
  'a@.test',
  'a@localhost',
  'a@',
  '@family.test',
  '',
  `${'a'.repeat(243)}@family.test`,
  '\u202etset.ylimaf@a',
  'a\u2028@family.test',
  'a\u0085@family.test',
  '=?utf-8?q?a?= <a@family.test>',
  '<script>alert(1)</script>@family.test',
]

test.each(HOSTILE)('%s is not a valid address', (email) => {
  expect(emailInput.safeParse({ email }).success).toBe(false)
})

test('ordinary and unusual but valid addresses are accepted', () => {
  const ordinary = [
    'rudo.moyo@family.co.zw',
    "o'brien+farai@sub.family.test",
    'a!#$%&*+/=?^_`{|}~-b@family.test',
    `${'a'.repeat(242)}@family.test`,
  ]
  expect(ordinary.map((email) => emailInput.safeParse({ email }).data?.email)).toEqual(ordinary)
})

test('an address that is not a string is refused', async () => {
  for (const email of [1, null, true, [], ['a@family.test'], { $ne: '' }]) {
    const { status } = await new Client().post('/api/auth/forgot-password', { email })
    expect([email, status]).toEqual([email, 400])
  }
  expect(await rowsOf(users, { email: 'a@family.test' })).toEqual([])
})
