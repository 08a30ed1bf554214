import { expect, test } from 'vitest'
import { Client, memorialOf } from '../../../../test/worker/harness.ts'
import { beginUpload, headOf, sendTusChunk, begunUpload, endUpload } from '../../../../test/worker/tus.ts'
import { quotaItemsOf, silence } from '../../../../test/worker/uploads.ts'

const MB = 1024 * 1024
const TUS = { 'Tus-Resumable': '1.0.0' }
const CHUNK = { ...TUS, 'Content-Type': 'application/offset+octet-stream' }
/** `type IMAGE` */
const METADATA = { 'Upload-Metadata': 'type SU1BR0U=' }

const TEN = { 'Upload-Length': '10' }

/** Rules of the protocol, in the order of https://tus.io/protocols/resumable-upload. */
test('OPTIONS names version, extensions and the largest file without a version header', async () => {
  const { owner, memorial } = await memorialOf()
  const answer = await owner.fetch(`/api/memorials/${memorial.id}/uploads`, { method: 'OPTIONS' })
  expect(answer.status).toBe(204)
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'tus-resumable': '1.0.0',
    'tus-version': '1.0.0',
    'tus-extension': 'creation,termination,expiration',
    'tus-max-size': String(250 * MB),
  })
})

test('OPTIONS ignores the version that a client names', async () => {
  const { owner, memorial } = await memorialOf()
  const path = `/api/memorials/${memorial.id}/uploads`
  const answer = await owner.fetch(path, { method: 'OPTIONS', headers: { 'Tus-Resumable': '0.2.2' } })
  expect([answer.status, answer.headers.get('Tus-Version')]).toEqual([204, '1.0.0'])
})

test('every call but OPTIONS requires the tus version of the server and names it', async () => {
  const { owner, memorial } = await memorialOf()
  const path = await begunUpload(owner, memorial.id, silence(100), 'IMAGE')
  const all = `/api/memorials/${memorial.id}/uploads`
  for (const version of [{}, { 'Tus-Resumable': '0.2.2' }]) {
    const answers = [
      await owner.fetch(all, { method: 'POST', headers: { ...version, 'Upload-Length': '1', ...METADATA } }),
      await owner.fetch(path, { method: 'HEAD', headers: version }),
      await owner.fetch(path, {
        method: 'PATCH',
        headers: { ...CHUNK, 'Tus-Resumable': '', ...version, 'Upload-Offset': '0' },
        body: 'x',
      }),
      await owner.fetch(path, { method: 'DELETE', headers: version }),
    ]
    for (const { status, headers } of answers) {
      expect([status, headers.get('Tus-Version')]).toEqual([412, '1.0.0'])
    }
  }
  expect(Object.fromEntries((await headOf(owner, path)).headers)).toMatchObject({ 'upload-offset': '0' })
  expect(await quotaItemsOf(memorial.id)).toHaveLength(1)
})

test('every response names the version, also refusals by any guard', async () => {
  const { owner, memorial } = await memorialOf()
  const all = `/api/memorials/${memorial.id}/uploads`
  const elsewhere = { Origin: 'https://elsewhere.test' }
  const answers = [
    await owner.fetch(all, {
      method: 'POST',
      headers: { ...TUS, ...METADATA, 'Upload-Length': '9', ...elsewhere },
    }),
    await new Client().fetch(all, { method: 'POST', headers: { ...TUS, ...METADATA, 'Upload-Length': '9' } }),
    await owner.fetch(all, { method: 'PUT', headers: TUS }),
    await owner.fetch('/api/memorials/mem_1/uploads', { method: 'POST', headers: TUS }),
  ]
  expect(answers.map(({ status, headers }) => [status, headers.get('Tus-Resumable')])).toEqual([
    [403, '1.0.0'],
    [403, '1.0.0'],
    [405, '1.0.0'],
    [404, '1.0.0'],
  ])
})

test('X-HTTP-Method-Override replaces the method everywhere', async () => {
  const { owner, memorial } = await memorialOf()
  const bytes = silence(1000)
  const path = await begunUpload(owner, memorial.id, bytes, 'AUDIO')
  const named = async (
    method: string,
    more: { method?: string; body?: BodyInit; headers?: Record<string, string> } = {},
  ) =>
    owner.fetch(path, {
      method: 'POST',
      ...more,
      headers: { ...TUS, ...more.headers, 'X-HTTP-Method-Override': method },
    })
  const headers = { ...CHUNK, 'Upload-Offset': '0' }
  const chunk = await named('PATCH', { body: bytes.slice(0, 400), headers })
  expect([chunk.status, chunk.headers.get('Upload-Offset')]).toEqual([204, '400'])
  expect((await named('HEAD', { body: 'x' })).headers.get('Upload-Offset')).toBe('400')
  expect((await named('BREW')).status).toBe(405)
  // An overridden safe method doesn't bypass the origin check.
  const forged = await named('DELETE', { method: 'GET', headers: { Origin: 'https://elsewhere.test' } })
  expect(forged.status).toBe(403)
  expect((await named('DELETE')).status).toBe(204)
  expect((await headOf(owner, path)).status).toBe(404)
  const login = await owner.fetch('/api/auth/user', { headers: { 'X-HTTP-Method-Override': 'DELETE' } })
  expect(login.status).toBe(200)
})

test('responses have Upload-Expires as an HTTP date, and metadata as sent', async () => {
  const { owner, memorial } = await memorialOf()
  const bytes = silence(1000)
  const metadata = `filename YQ==,type ${btoa('AUDIO')},filetype,note ${btoa('a, b')}`
  const created = await beginUpload(owner, memorial.id, {
    length: bytes.byteLength,
    type: 'AUDIO',
    headers: { 'Upload-Metadata': metadata },
  })
  const path = created.headers.get('Location')!
  expect((await headOf(owner, path)).headers.get('Upload-Metadata')).toBe(metadata)
  const responses = [
    created,
    await sendTusChunk(owner, path, 0, bytes.slice(0, 300)),
    await sendTusChunk(owner, path, 300, bytes.slice(300)),
  ]
  for (const { headers } of responses) {
    const expires = headers.get('Upload-Expires') ?? ''
    expect(new Date(expires).toUTCString()).toBe(expires)
  }
})

test('a complete upload refuses chunks; deleting it keeps its media item', async () => {
  const { owner, memorial } = await memorialOf()
  const bytes = silence(1000)
  const path = await begunUpload(owner, memorial.id, bytes, 'AUDIO')
  await sendTusChunk(owner, path, 0, bytes)
  const head = await headOf(owner, path)
  expect([head.headers.get('Upload-Offset'), head.headers.get('Upload-Length')]).toEqual(['1000', '1000'])
  const late = [
    await sendTusChunk(owner, path, 0, bytes),
    await sendTusChunk(owner, path, 1001, bytes),
    await sendTusChunk(owner, path, 1000, new Uint8Array(0)),
  ]
  expect(late.map(({ status }) => status)).toEqual([409, 409, 204])
  expect((await endUpload(owner, path)).status).toBe(204)
  const gone = await headOf(owner, path)
  expect([gone.status, gone.headers.has('Upload-Offset')]).toEqual([404, false])
  const { media } = (await owner.get(`/api/memorials/${memorial.id}/media`)).body
  expect(media).toHaveLength(1)
})

test('a creation returns the location and the expiry of the upload', async () => {
  const { owner, memorial } = await memorialOf()
  const created = await beginUpload(owner, memorial.id, { length: 1000, type: 'AUDIO', name: 'Áine – 1.m4a' })
  expect(created.status).toBe(201)
  const path = created.headers.get('Location') ?? ''
  expect(path).toMatch(new RegExp(`^/api/memorials/${memorial.id}/uploads/upl_[a-z0-9]{20}$`, 'u'))
  expect(created.headers.get('Tus-Resumable')).toBe('1.0.0')
  const expires = Date.parse(created.headers.get('Upload-Expires') ?? '')
  expect(Math.abs(expires - Date.now() - 24 * 3600 * 1000)).toBeLessThan(60_000)

  const head = await headOf(owner, path)
  expect(head.status).toBe(200)
  expect(Object.fromEntries(head.headers)).toMatchObject({
    'tus-resumable': '1.0.0',
    'upload-offset': '0',
    'upload-length': '1000',
    'upload-metadata': expect.stringContaining('type QVVESU8='),
    'cache-control': expect.stringContaining('no-store'),
  })
})

test.each([
  ['without a length', {}, 400],
  ['with a deferred length', { 'Upload-Defer-Length': '1' }, 400],
  ['with a negative length', { 'Upload-Length': '-1' }, 400],
  ['with a length that is text', { 'Upload-Length': 'all' }, 400],
  ['with a fractional length', { 'Upload-Length': '1.5' }, 400],
  ['with a length of zero', { 'Upload-Length': '0' }, 400],
  ['with one byte more than a photo may have', { 'Upload-Length': String(50 * MB + 1) }, 413],
  ['with a length beyond every limit', { 'Upload-Length': '999999999999999' }, 413],
  ['without a type', { ...TEN, 'Upload-Metadata': '' }, 400],
  ['with an unknown type', { ...TEN, 'Upload-Metadata': 'type UERG' }, 400],
  ['with malformed metadata', { ...TEN, 'Upload-Metadata': 'type §' }, 400],
  ['with a repeated metadata key', { ...TEN, 'Upload-Metadata': 'type SU1BR0U=,type SU1BR0U=' }, 400],
  ['with a third value in a metadata pair', { ...TEN, 'Upload-Metadata': 'type SU1BR0U= more' }, 400],
  ['with a file name that is not UTF-8', { ...TEN, 'Upload-Metadata': 'type SU1BR0U=,filename //79' }, 400],
  ['with an invalid idempotency key', { ...TEN, 'Idempotency-Key': 'again' }, 400],
] as [string, Record<string, string>, number][])(
  'a creation %s is refused and reserves no quota',
  async (_, headers, status) => {
    const { owner, memorial } = await memorialOf()
    const answer = await owner.fetch(`/api/memorials/${memorial.id}/uploads`, {
      method: 'POST',
      headers: { ...TUS, ...METADATA, ...headers },
    })
    const { message } = await answer.json<{ message: string }>()
    expect([answer.status, message.length > 10]).toEqual([status, true])
    expect(answer.headers.get('Tus-Resumable')).toBe('1.0.0')
    expect(await quotaItemsOf(memorial.id)).toEqual([])
  },
)

test('a chunk must start at the offset, have the right type, and end within the file', async () => {
  const { owner, memorial } = await memorialOf()
  const bytes = silence(100_000)
  const path = await begunUpload(owner, memorial.id, bytes, 'AUDIO')
  const first = await sendTusChunk(owner, path, 0, bytes.slice(0, 60_000))
  expect([first.status, first.headers.get('Upload-Offset'), first.headers.has('Upload-Expires')]).toEqual([
    204,
    '60000',
    true,
  ])
  const wrong = [
    await sendTusChunk(owner, path, 0, bytes.slice(0, 10)),
    await sendTusChunk(owner, path, 59_999, bytes.slice(0, 10)),
    await sendTusChunk(owner, path, 60_001, bytes.slice(0, 10)),
    await sendTusChunk(owner, path, 60_000, bytes.slice(0, 10), {
      'Content-Type': 'application/octet-stream',
    }),
    await sendTusChunk(owner, path, 60_000, bytes.slice(0, 10), { 'Upload-Offset': '-1' }),
    await sendTusChunk(owner, path, 60_000, bytes.slice(0, 10), { 'Upload-Offset': 'sixty' }),
    await sendTusChunk(owner, path, 60_000, bytes.slice(0, 40_001)),
  ]
  expect(wrong.map(({ status }) => status)).toEqual([409, 409, 409, 415, 400, 400, 413])
  expect((await headOf(owner, path)).headers.get('Upload-Offset')).toBe('60000')
  const empty = await sendTusChunk(owner, path, 60_000, new Uint8Array(0))
  expect([empty.status, empty.headers.get('Upload-Offset')]).toEqual([204, '60000'])
  const last = await sendTusChunk(owner, path, 60_000, bytes.slice(60_000))
  expect([last.status, last.headers.get('Upload-Offset')]).toEqual([204, '100000'])
  expect(last.headers.get('Nhaka-Media-Id')).toMatch(/^med_/u)
  const done = await headOf(owner, path)
  expect(done.headers.get('Nhaka-Media-Id')).toBe(last.headers.get('Nhaka-Media-Id'))
})

test('an upload that was deleted or never created is not found', async () => {
  const { owner, memorial } = await memorialOf()
  const path = await begunUpload(owner, memorial.id, silence(1000), 'IMAGE')
  const end = async () => endUpload(owner, path)
  expect((await end()).status).toBe(204)
  const after = [
    await end(),
    await headOf(owner, path),
    await sendTusChunk(owner, path, 0, new Uint8Array(3)),
    await headOf(owner, `${path}x`),
  ]
  expect(after.map(({ status }) => status)).toEqual([404, 404, 404, 404])
})
