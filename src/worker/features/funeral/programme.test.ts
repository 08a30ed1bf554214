import { expect, test } from 'vitest'
import type { FuneralEvent } from '#shared/funeral/funeral.ts'
import { PROGRAMME_MAX_BYTES } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { drainObjectDeletions } from '#worker/features/media/media.jobs.ts'
import { funeralEvents } from '#worker/schema/funeral.table.ts'
import { objectDeletions } from '#worker/schema/media.table.ts'
import { Client, memorialOf, testCtx } from '../../../../test/worker/harness.ts'
import { keeperIdOf, keeperOf } from '../../../../test/worker/keepers.ts'
import { objectsOf, slowUpload } from '../../../../test/worker/uploads.ts'
import { rowsOf } from '../../../../test/worker/rows.ts'

const PDF = '%PDF-1.7\n1 0 obj\n<<>>\nendobj\n%%EOF\n'

async function upload(client: Client, memorialId: string, file: Blob | null, name: string, eventId?: string) {
  const form = new FormData()
  if (eventId !== undefined) form.append('eventId', eventId)
  if (file) form.append('file', file, name)
  const path = `/api/memorials/${memorialId}/funeral-program`
  const response = await client.fetch(path, { method: 'POST', body: form })
  return { status: response.status, body: await response.json<FuneralEvent & { code?: string }>() }
}

async function text(response: Response): Promise<string> {
  return new TextDecoder().decode(await response.arrayBuffer())
}

async function withService() {
  const { owner, memorial } = await memorialOf({ privacy: 'LOCKED' })
  const { body: event } = await owner.put(`/api/memorials/${memorial.id}/funeral`, {
    dateTime: '2026-06-06T10:00',
  })
  return { owner, memorial, event, path: `/api/memorials/${memorial.id}/funeral-program` }
}

test('a programme is a sandboxed download under its own name', async () => {
  const { owner, memorial, event, path } = await withService()
  const { status, body } = await upload(owner, memorial.id, new Blob([PDF]), 'Order of "Sérvice".pdf')
  expect(status).toBe(201)
  expect(body).toEqual({
    ...event,
    programFileId: expect.stringMatching(/^file_/u),
    programFileName: 'Order of Sérvice.pdf',
    programSize: PDF.length,
  })
  const response = await new Client().fetch(path)
  expect(await text(response)).toBe(PDF)
  expect({
    type: response.headers.get('Content-Type'),
    disposition: response.headers.get('Content-Disposition'),
    nosniff: response.headers.get('X-Content-Type-Options'),
    csp: response.headers.get('Content-Security-Policy'),
    cache: response.headers.get('Cache-Control'),
  }).toEqual({
    type: 'application/pdf',
    disposition: `attachment; filename="Order of S_rvice.pdf"; filename*=UTF-8''Order%20of%20S%C3%A9rvice.pdf`,
    nosniff: 'nosniff',
    csp: "sandbox; default-src 'none'",
    cache: 'private, no-store',
  })
})

test('a new programme replaces the old one and queues its object for deletion', async () => {
  const { owner, memorial, path } = await withService()
  await upload(owner, memorial.id, new Blob([PDF]), 'one.pdf')
  const [oldKey = ''] = await objectsOf(memorial.id)
  const { body } = await upload(owner, memorial.id, new Blob([`${PDF}two`]), 'two.pdf')
  expect(body.programFileName).toBe('two.pdf')
  expect(await text(await owner.fetch(path))).toBe(`${PDF}two`)
  expect(await rowsOf(objectDeletions, { prefix: oldKey })).toHaveLength(1)
  await drainObjectDeletions(testCtx(() => Date.now() + 2 * 3_600_000))
  expect(await objectsOf(memorial.id)).toHaveLength(1)
  expect(await text(await owner.fetch(path))).toBe(`${PDF}two`)
})

test('deleting a service deletes its programme', async () => {
  const { owner, memorial, event, path } = await withService()
  await upload(owner, memorial.id, new Blob([PDF]), 'one.pdf')
  const [key = ''] = await objectsOf(memorial.id)
  await owner.delete(`/api/memorials/${memorial.id}/funeral-events/${event.id}`)
  expect((await owner.get(path)).status).toBe(404)
  expect(await rowsOf(objectDeletions, { prefix: key })).toHaveLength(1)
})

test.each([
  ['text', new Blob(['not a programme']), 415, 'wrong_type'],
  ['HTML before the signature', new Blob([`<html>${PDF}`]), 415, 'wrong_type'],
  ['a space before the signature', new Blob([` ${PDF}`]), 415, 'wrong_type'],
  ['four bytes', new Blob(['%PDF']), 415, 'wrong_type'],
  ['an empty file', new Blob([]), 415, 'wrong_type'],
  [
    'one byte too many',
    new Blob([PDF, new Uint8Array(PROGRAMME_MAX_BYTES - PDF.length + 1)]),
    413,
    'too_large',
  ],
  ['a missing file', null, 400, 'bad_input'],
])('%s is refused and nothing is stored', async (_what, file, status, code) => {
  const { owner, memorial, path } = await withService()
  const answer = await upload(owner, memorial.id, file, 'x.pdf')
  expect([answer.status, answer.body.code]).toEqual([status, code])
  expect(await objectsOf(memorial.id)).toEqual([])
  expect((await owner.get(path)).status).toBe(404)
})

test('a programme of exactly 15 MB is accepted', async () => {
  const { owner, memorial } = await withService()
  const file = new Blob([PDF, new Uint8Array(PROGRAMME_MAX_BYTES - PDF.length)])
  expect((await upload(owner, memorial.id, file, 'x')).body).toMatchObject({
    programFileName: 'x.pdf',
    programSize: PROGRAMME_MAX_BYTES,
  })
})

test('a programme needs a service of this memorial', { tags: ['programme-own-memorial'] }, async () => {
  const { owner, memorial } = await memorialOf()
  const other = await withService()
  const none = await upload(owner, memorial.id, new Blob([PDF]), 'x.pdf')
  expect([none.status, none.body.code]).toEqual([404, 'not_found'])
  const foreign = await upload(owner, memorial.id, new Blob([PDF]), 'x.pdf', other.event.id)
  expect(foreign.status).toBe(404)
  expect(await objectsOf(memorial.id)).toEqual([])
})

test(
  'a keeper who is removed while they send a programme replaces nothing',
  { tags: ['programme-needs-keeper'] },
  async () => {
    const { owner, memorial, path } = await withService()
    const keeper = await keeperOf(owner, memorial.id, 'KEEPER')
    await upload(owner, memorial.id, new Blob([PDF]), 'one.pdf')
    const [before, objects] = [await stored(memorial.id), await objectsOf(memorial.id)]
    const log = async () => (await owner.get(`/api/memorials/${memorial.id}/family-actions`)).body

    const bytes = Uint8Array.from(new TextEncoder().encode(`${PDF}two`))
    const file = { bytes, name: 'two.pdf', type: 'PDF' }
    const sending = slowUpload(keeper, memorial.id, file, PDF.length, 'funeral-program')
    await sending.started
    const id = await keeperIdOf(owner, memorial.id)
    expect((await owner.delete(`/api/memorials/${memorial.id}/keepers/${id}`)).status).toBe(204)
    const logged = await log()
    const answer = await sending.finish()

    const { code, message } = await answer.json<{ code: string; message: string }>()
    expect([answer.status, code, message]).toEqual([403, 'forbidden', messages.memorial.ownerOnly])
    expect([await stored(memorial.id), await objectsOf(memorial.id)]).toEqual([before, objects])
    expect(await text(await owner.fetch(path))).toBe(PDF)
    expect(await log()).toEqual(logged)
  },
)

/** The services of a memorial, and what is queued for deletion there. */
async function stored(memorialId: string) {
  return {
    services: await rowsOf(funeralEvents, { memorialId }),
    deletions: (await rowsOf(objectDeletions, {})).filter(({ prefix }) => prefix.includes(memorialId)),
  }
}
