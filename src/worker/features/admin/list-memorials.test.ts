import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import type { AdminMemorialPage } from '#shared/admin.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { payments } from '#worker/schema/payments.table.ts'
import { randomBase32 } from '#worker/platform/random.ts'
import { paidCredit, signedIn, testCtx } from '../../../../test/worker/harness.ts'
import { draftOf } from '../../../../test/worker/stripe.ts'

test('memorials are listed and found by name, slug, owner and email address', async () => {
  const admin = await signedIn({ admin: true })
  const key = randomBase32(8)
  const owner = await signedIn({ email: `${key}@family.test`, firstName: `F${key}` })
  const memorialId = await draftOf(owner, `Ambuya ${key}`)
  const creditId = await paidCredit(owner.user.id)
  await testCtx().db.update(payments).set({ memorialId }).where(eq(payments.id, creditId))
  const [row] = await testCtx().db.select().from(memorials).where(eq(memorials.id, memorialId))
  const expected = {
    id: memorialId,
    ownerId: owner.user.id,
    slug: row?.slug,
    title: null,
    honoureeFullName: `Ambuya ${key}`,
    dateOfBirth: null,
    dateOfDeath: null,
    coverMediaId: null,
    profileMediaId: null,
    lifeStory: null,
    status: 'DRAFT',
    privacy: 'PRIVATE',
    lockedAt: null,
    showLocation: false,
    allowSearchEngines: false,
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
  const found = async (text: string) => {
    const { body } = await admin.get<AdminMemorialPage>(
      `/api/admin/memorials?search=${encodeURIComponent(`${key} ${text}`)}`,
    )
    return body.memorials.map((memorial) => memorial.honoureeFullName)
  }
  expect(await found('100%')).toEqual([`${key} 100%`])
  expect(await found('a_b')).toEqual([`${key} a_b`])
  expect(await found("\\'")).toEqual([`${key} \\'`])
  expect(await found('%')).toEqual([])
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
    await testCtx().db.update(memorials).set({ createdAt: i }).where(eq(memorials.id, id))
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
