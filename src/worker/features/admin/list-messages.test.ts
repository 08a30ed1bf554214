import { expect, test } from 'vitest'
import type { ContactMessagePage } from '#shared/admin.ts'
import { contactMessages } from '#worker/schema/mail.table.ts'
import { newId, randomBase32 } from '#worker/platform/random.ts'
import { Client, signedIn, testCtx } from '../../../../test/worker/harness.ts'

test('a message from the contact form is shown as it was written', async () => {
  const admin = await signedIn({ admin: true })
  const written = {
    email: `${randomBase32(8)}@family.test`,
    subject: 'A question',
    message: 'Line one\nLine two',
  }
  expect((await new Client().post('/api/contact', written)).status).toBe(201)
  const { body } = await admin.get<ContactMessagePage>('/api/admin/messages')
  expect(body.messages[0]).toEqual({
    id: expect.stringMatching(/^msg_/u),
    ...written,
    createdAt: expect.stringMatching(/Z$/u),
  })
})

test('messages are paged by 20, newest first, without repeats at equal times', async () => {
  const admin = await signedIn({ admin: true })
  const at = Date.now() + 60_000
  const rows = Array.from({ length: 45 }, (_, i) => ({
    id: newId('contactMessage'),
    email: 'a@family.test',
    subject: 'x',
    message: `${i}`,
    createdAt: at + Math.floor(i / 15),
  }))
  for (const row of rows) await testCtx().db.insert(contactMessages).values(row)
  const pages: ContactMessagePage[] = []
  for (let cursor = ''; pages.length < 3;) {
    const { body } = await admin.get<ContactMessagePage>(`/api/admin/messages${cursor}`)
    pages.push(body)
    cursor = `?cursor=${body.nextCursor}`
  }
  const expected = rows
    .toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
    .map(({ id }) => id)
  const shown = pages.flatMap((page) => page.messages.map(({ id }) => id))
  expect(pages.map((page) => page.messages.length).slice(0, 2)).toEqual([20, 20])
  expect(shown.slice(0, 45)).toEqual(expected)
})
