import { expect, test } from 'vitest'
import type { AdminMemorialPage, AdminPaymentPage } from '#shared/admin/admin.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { payments } from '#worker/schema/payments.table.ts'
import { randomBase32, newId } from '#worker/platform/random.ts'
import { paidCredit, signedIn, testCtx, memorialOf, type Client } from '../../../../test/worker/harness.ts'
import { draftOf } from '../../../../test/worker/stripe.ts'
import { env } from 'cloudflare:test'
import { HONOUREE_NAME_MAX } from '#shared/limits.ts'
import { purgeAccount, purgeMemorial } from '#worker/features/removal/removal.jobs.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'

test('memorials are listed and found by name, slug, owner and email address', async () => {
  const admin = await signedIn({ admin: true })
  const key = randomBase32(8)
  const owner = await signedIn({ email: `${key}@family.test`, firstName: `F${key}` })
  const memorialId = await draftOf(owner, `Ambuya ${key}`)
  const creditId = await paidCredit(owner.user.id)
  await changeRows(payments, { id: creditId }, { memorialId })
  const [row] = await rowsOf(memorials, { id: memorialId })
  const expected = {
    id: memorialId,
    ownerId: owner.user.id,
    slug: row?.slug,
    title: null,
    honoureeFullName: `Ambuya ${key}`,
    dateOfBirth: null,
    dateOfBirthPrecision: 'DAY',
    dateOfDeath: null,
    dateOfDeathPrecision: 'DAY',
    coverMediaId: null,
    profileMediaId: null,
    lifeStory: null,
    status: 'DRAFT',
    privacy: 'PRIVATE',
    lockedAt: null,
    showLocation: false,
    allowSearchEngines: false,
    showInvitePreview: false,
    holdNew: false,
    visitorMessages: 'NOBODY',
    tellOwner: 'AT_ONCE',
    mayAsk: 'INVITE_ONLY',
    isPaid: true,
    createdAt: expect.stringMatching(/Z$/u),
    updatedAt: expect.stringMatching(/Z$/u),
    owner: { id: owner.user.id, email: `${key}@family.test`, suspendedAt: null },
    payment: { status: 'PAID' },
  }
  for (const search of [`Ambuya ${key}`, row?.slug, `f${key} moyo`, `${key.toUpperCase()}@family`]) {
    const { body } = await admin.get<AdminMemorialPage>(
      `/api/admin/memorials?search=${encodeURIComponent(search ?? '')}`,
    )
    expect([search, body]).toEqual([
      search,
      { memorials: [expected], page: 1, pageSize: 20, total: 1, hasMore: false },
    ])
  }
})

test('a search takes percent, underscore, backslash and quote literally', async () => {
  const admin = await signedIn({ admin: true })
  const key = randomBase32(8)
  const owner = await signedIn()
  for (const name of [`${key} 100%`, `${key} 1000`, `${key} a_b`, `${key} acb`, `${key} \\'`]) {
    await draftOf(owner, name)
  }
  const namesFound = async (text: string) => {
    const { body } = await admin.get<AdminMemorialPage>(
      `/api/admin/memorials?search=${encodeURIComponent(`${key} ${text}`)}`,
    )
    return body.memorials.map((memorial) => memorial.honoureeFullName)
  }
  expect(await namesFound('100%')).toEqual([`${key} 100%`])
  expect(await namesFound('a_b')).toEqual([`${key} a_b`])
  expect(await namesFound("\\'")).toEqual([`${key} \\'`])
  expect(await namesFound('%')).toEqual([])
})

test('a search may be longer than the LIKE pattern that D1 allows', async () => {
  const admin = await signedIn({ admin: true })
  const owner = await signedIn()
  const name = `${randomBase32(8)} ${'Chokwadi '.repeat(9)}Moyo`
  await draftOf(owner, name)
  const search = async (text: string) =>
    (await admin.get<AdminMemorialPage>(`/api/admin/memorials?search=${encodeURIComponent(text)}`)).body.total
  expect([await search(name.toUpperCase()), await search('x'.repeat(200))]).toEqual([1, 0])
})

test('pages hold 20 memorials, newest first, and an invalid page is refused', async () => {
  const admin = await signedIn({ admin: true })
  const key = randomBase32(8)
  const owner = await signedIn()
  for (let i = 0; i < 22; i += 1) {
    const id = await draftOf(owner, `${key} ${i}`)
    await changeRows(memorials, { id }, { createdAt: i })
  }
  const page = async (number: number) =>
    (await admin.get<AdminMemorialPage>(`/api/admin/memorials?page=${number}&search=${key}`)).body
  const [first, second] = [await page(1), await page(2)]
  expect([first.memorials.length, first.total, first.memorials[0]?.honoureeFullName]).toEqual([
    20,
    22,
    `${key} 21`,
  ])
  expect(second.memorials.map(({ honoureeFullName }) => honoureeFullName)).toEqual([`${key} 1`, `${key} 0`])
  expect((await admin.get('/api/admin/memorials?page=0')).status).toBe(400)
  expect((await admin.get('/api/admin/memorials?page=x')).status).toBe(400)
})

async function found(admin: Client, text: string): Promise<[memorials: string[], payments: string[]]> {
  const query = `?search=${encodeURIComponent(text)}`
  const some = await admin.get<AdminMemorialPage>(`/api/admin/memorials${query}`)
  const paid = await admin.get<AdminPaymentPage>(`/api/admin/payments${query}`)
  return [some.body.memorials.map(({ id }) => id), paid.body.payments.map(({ id }) => id)]
}

test('any part of a text is found, up to the longest name, in any script', async () => {
  const admin = await signedIn({ admin: true })
  const owner = await signedIn()
  const letters = `${randomBase32(9)}é\ud7ff😀\u{10ffff}Ж`
  const name = letters + 'ñ'.repeat(HONOUREE_NAME_MAX - Array.from(letters).length)
  const id = await draftOf(owner, name)
  // The searches below must not find this one.
  await draftOf(owner, 'Ａｍｂｕｙａ')
  const all = Array.from(name)
  for (const part of [
    ...all.slice(9, 15),
    ...all.map((_, at) => all.slice(at).join('')).slice(0, 15),
    all.slice(3, 12).join('').toLowerCase(),
  ]) {
    expect([part, (await found(admin, part))[0]]).toEqual([part, [id]])
  }
  // SQLite ignores case only for ASCII letters.
  expect((await found(admin, 'É'))[0]).toEqual([])
})

test('after a change only the new name and email address are found', async () => {
  const admin = await signedIn({ admin: true })
  const [before, after] = [randomBase32(10), randomBase32(10)]
  const { owner, memorial } = await memorialOf({ name: `Ambuya ${before}` })
  const [payment] = (await found(admin, `buya ${before}`))[1]
  await owner.patch(`/api/memorials/${memorial.id}`, { honoureeFullName: `Sekuru ${after}` })
  expect(await found(admin, `buya ${before}`)).toEqual([[], []])
  expect(await found(admin, `kuru ${after}`)).toEqual([[memorial.id], [payment]])
  await owner.patch('/api/account', { firstName: `Rita${after}`, lastName: 'Dube' })
  expect((await found(admin, `ita${after} dub`))[0]).toEqual([memorial.id])
  await testCtx().db.run(`update users set email = '${after}@family.test' where id = '${owner.user.id}'`)
  expect(await found(admin, `${after.slice(1)}@family`)).toEqual([[memorial.id], [payment]])
  expect(await found(admin, owner.user.email)).toEqual([[], []])
})

test('purged memorials and accounts leave the search, except for their payments', async () => {
  const admin = await signedIn({ admin: true })
  const { owner, memorial } = await memorialOf({ name: `Gogo ${randomBase32(10)}` })
  const ownPayments = (await found(admin, owner.user.email))[1]
  const unpaid = await signedIn()
  await purgeMemorial(testCtx(), memorial.id)
  await purgeAccount(testCtx(), owner.user.id)
  await purgeAccount(testCtx(), unpaid.user.id)
  for (const text of [memorial.honoureeFullName, memorial.slug, owner.user.email, unpaid.user.email]) {
    expect([text, await found(admin, text)]).toEqual([text, [[], []]])
  }
  // A purged account that has payments has its id as email address.
  expect(ownPayments).toHaveLength(1)
  expect(await found(admin, owner.user.id)).toEqual([[], ownPayments])
})

test("a payment is found by its memorial's name, else by its target's name", async () => {
  const admin = await signedIn({ admin: true })
  const owner = await signedIn()
  const [meant, paid] = [`Meant ${randomBase32(10)}`, `Paid ${randomBase32(10)}`]
  const [meantId, paidId] = [await draftOf(owner, meant), await draftOf(owner, paid)]
  const id = newId('payment')
  await env.DB.prepare(
    `INSERT INTO payments (id, user_id, target_memorial_id, status, provider, amount, currency, idempotency_key,
       created_at, updated_at) VALUES (?, ?, ?, 'FAILED', 'stripe', 6000, 'usd', ?, 1, 1)`,
  )
    .bind(id, owner.user.id, meantId, id)
    .run()
  expect([(await found(admin, meant))[1], (await found(admin, paid))[1]]).toEqual([[id], []])
  await env.DB.prepare('UPDATE payments SET memorial_id = ? WHERE id = ?').bind(paidId, id).run()
  expect([(await found(admin, meant))[1], (await found(admin, paid))[1]]).toEqual([[], [id]])
  expect((await found(admin, id.slice(6).toUpperCase()))[1]).toEqual([id])
})
