import { expect, test } from 'vitest'
import type { ContactMessage, ContactMessagePage } from '#shared/admin/admin.ts'
import { contactMessages } from '#worker/schema/mail.table.ts'
import { newId, randomBase32 } from '#worker/platform/random.ts'
import { signedIn, testCtx, Client } from '../../../../test/worker/harness.ts'
import { auditOf } from '../../../../test/worker/rows.ts'

/** In the order of the lists: newest first. */
const newestFirst = <T extends { id: string; createdAt: number }>(rows: T[]) =>
  rows.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))

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
    isAnswered: false,
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
  const shown = pages.flatMap((page) => page.messages.map(({ id }) => id))
  expect(pages.map((page) => page.messages.length).slice(0, 2)).toEqual([20, 20])
  expect(shown.slice(0, 45)).toEqual(newestFirst(rows).map(({ id }) => id))
})

test('an answered message leaves the waiting ones, an undo brings it back, both logged', async () => {
  const admin = await signedIn({ admin: true })
  const row = {
    id: newId('contactMessage'),
    email: 'a@family.test',
    subject: 'x',
    message: 'Hello',
    createdAt: Date.now() + 3_600_000,
  }
  await testCtx().db.insert(contactMessages).values(row)
  const path = `/api/admin/messages/${row.id}/answered`
  const listed = async (state: string) => {
    const { body } = await admin.get<ContactMessagePage>(`/api/admin/messages?state=${state}`)
    return body.messages.some(({ id }) => id === row.id)
  }
  expect([await listed('waiting'), await listed('answered')]).toEqual([true, false])
  const expected = { ...row, isAnswered: true, createdAt: new Date(row.createdAt).toISOString() }
  for (const _ of [1, 2]) {
    const { status, body } = await admin.post<ContactMessage>(path)
    expect([status, body]).toEqual([200, expected])
  }
  expect([await listed('waiting'), await listed('answered')]).toEqual([false, true])
  expect((await admin.delete<ContactMessage>(path)).body).toEqual({ ...expected, isAnswered: false })
  expect([await listed('waiting'), await listed('answered')]).toEqual([true, false])
  const entry = { actorId: admin.user.id, action: 'answer_message', targetKind: 'message' }
  expect(await auditOf({ targetId: row.id }, 'actorId', 'action', 'targetKind', 'detail')).toEqual([
    { ...entry, detail: { before: false, after: true } },
    { ...entry, detail: { before: true, after: false } },
  ])
  expect((await admin.get('/api/admin/messages?state=lost')).status).toBe(400)
})
