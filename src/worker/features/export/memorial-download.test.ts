import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { EXPORT_PAGE } from '#shared/limits.ts'
import { memorialExport } from '#shared/export.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { newId } from '#worker/platform/random.ts'
import { download, memorialToExport } from '../../../../test/worker/exported.ts'
import { fixture } from '../../../../test/worker/fixtures.ts'
import { inviteTokenOf, memorialOf, testCtx } from '../../../../test/worker/harness.ts'
import { silence } from '../../../../test/worker/uploads.ts'
import { archiveAddress, archiveName } from '#worker/features/export/archive.ts'

/** SHA-256 as hexadecimal text. */
function hash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

test('an export contains every original byte for byte under a readable name', async () => {
  const { owner, memorial, sent } = await memorialToExport()
  const { response, bytes, files } = await download(owner, memorial.id)
  expect(response.headers.get('Content-Type')).toBe('application/zip')
  expect(response.headers.get('Content-Length')).toBe(String(bytes.byteLength))
  expect(response.headers.get('Cache-Control')).toBe('private, no-store')
  expect(response.headers.get('Content-Disposition')).toMatch(
    /^attachment; filename="tendai-moyo-[\d-]{10}\.zip"/u,
  )
  const today = new Date().toISOString().slice(0, 10)
  expect(files.map(({ name, isUtf8, modified }) => [name, isUtf8, modified.slice(0, 10)])).toEqual(
    [
      'index.html',
      'memorial.json',
      'programmes/001 Order of service.pdf',
      'photos/001 At the table.jpg',
      'videos/001 wedding.mp4',
      'recordings/001 voice.wav',
    ].map((name) => [name, true, today]),
  )
  const hashes = files.slice(2).map((file) => hash(file.bytes))
  expect(hashes).toEqual([await fixture('programme.pdf'), sent.photo, sent.film, silence(9000)].map(hash))
})

test('an export has all data as valid JSON, without email addresses or tokens', async () => {
  const { owner, memorial, ids, relative } = await memorialToExport()
  const invite = await inviteTokenOf(owner, memorial.id)
  const { text, files } = await download(owner, memorial.id)
  const exported = memorialExport.parse(JSON.parse(text('memorial.json')))
  expect(exported.memorial).toMatchObject({
    id: memorial.id,
    honoureeFullName: 'Tendai Móyo',
    title: 'Our mother',
    dateOfBirth: '1931-01-01',
    dateOfBirthPrecision: 'ABOUT',
    privacy: 'INVITE',
    lifeStory: {
      html: '<p>Born in <strong>Mutare</strong>.</p><p>A teacher.</p>',
      text: 'Born in Mutare.\n\nA teacher.',
    },
  })
  expect(exported.location).toEqual({ label: 'Warren Hills', latitude: -17.5, longitude: 31 })
  expect(exported.services).toMatchObject([
    {
      dateTime: '2026-06-06T08:00:00.000Z',
      timeZone: 'Africa/Harare',
      venueName: 'St Mary',
      programme: { file: 'programmes/001 Order of service.pdf', originalFileName: 'Order of service.pdf' },
    },
  ])
  expect(exported.media.map(({ id, file, addedBy, caption }) => ({ id, file, addedBy, caption }))).toEqual([
    { id: ids.photo, file: 'photos/001 At the table.jpg', addedBy: null, caption: 'At the table' },
    { id: ids.film, file: 'videos/001 wedding.mp4', addedBy: null, caption: null },
    { id: ids.voice, file: 'recordings/001 voice.wav', addedBy: 'Farai Chikomo', caption: null },
  ])
  const sizes = new Map(files.map(({ name, bytes }) => [name, bytes.byteLength]))
  expect(exported.media.map(({ size }) => size)).toEqual(
    exported.media.map(({ file }) => sizes.get(file ?? '')),
  )
  expect(exported.messages).toMatchObject([
    { body: 'Rest well\nMama', writtenBy: 'Farai Chikomo', isOwner: false, likes: 0 },
  ])
  const all = text('memorial.json') + text('index.html')
  for (const secret of [invite, owner.user.email, relative.session.authToken, 'm/mem_']) {
    expect(all).not.toContain(secret)
  }
})

test('a long guestbook is exported whole, in order, with the announced length', async () => {
  const { owner, memorial } = await memorialOf()
  const { db } = testCtx()
  const count = EXPORT_PAGE * 3 + 7
  const rows = Array.from({ length: count }, (_, n) => ({
    id: newId('comment'),
    memorialId: memorial.id,
    body: `Message ${n} ${'é'.repeat(900)}`,
    authorUserId: owner.user.id,
    // Some messages with the same time fall on both sides of a page boundary.
    createdAt: 1_760_000_000_000 + Math.floor(n / 7),
  }))
  for (let at = 0; at < count; at += 10) await db.insert(comments).values(rows.slice(at, at + 10))
  const { response, bytes, files, text } = await download(owner, memorial.id)
  const { messages } = memorialExport.parse(JSON.parse(text('memorial.json')))
  expect(files.find(({ name }) => name === 'memorial.json')?.bytes.byteLength).toBeGreaterThan(1024 * 1024)
  expect(messages.map(({ id }) => id)).toEqual(
    rows.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)).map(({ id }) => id),
  )
  expect(text('index.html').match(/Message \d+ /gu)).toHaveLength(count)
  expect(response.headers.get('Content-Length')).toBe(String(bytes.byteLength))
})

test('HEAD returns the length of an export and no body', async () => {
  const { owner, memorial } = await memorialToExport()
  const path = `/api/memorials/${memorial.id}/export`
  const whole = (await (await owner.fetch(path)).arrayBuffer()).byteLength
  const head = await owner.fetch(path, { method: 'HEAD' })
  expect([head.status, head.headers.get('Content-Length'), await head.text()]).toEqual([
    200,
    String(whole),
    '',
  ])
})

test('account export and memorial export contain the same media and messages', async () => {
  const { owner, memorial } = await memorialToExport()
  const copy = (await owner.get('/api/account/export')).body.memorials[0]
  const { text } = await download(owner, memorial.id)
  const exported = memorialExport.parse(JSON.parse(text('memorial.json')))
  const media = exported.media.map((item) => ({
    id: item.id,
    type: item.type,
    fileName: item.originalFileName,
    size: item.size,
    caption: item.caption,
    alternativeText: item.alternativeText,
    addedBy: item.addedBy,
    createdAt: item.createdAt,
  }))
  expect(copy.media).toEqual(media.map((item) => expect.objectContaining(item)))
  expect(copy.messages.map(({ id, body }: { id: string; body: string }) => [id, body])).toEqual(
    exported.messages.map(({ id, body }) => [id, body]),
  )
  expect(copy.lifeStory).toBe(exported.memorial.lifeStory?.html)
  expect(copy.location).toEqual(exported.location)
  expect(copy.services.map(({ id }: { id: string }) => id)).toEqual(exported.services.map(({ id }) => id))
})

const photo = (title: string, number = 1) =>
  archiveName({ folder: 'photos', number, title, extension: 'jpg' })

test.each([
  ['At the table', 'photos/001 At the table.jpg'],
  ['Sekuru naMbuya – Gweru, 1974', 'photos/001 Sekuru naMbuya – Gweru, 1974.jpg'],
  ['', 'photos/001.jpg'],
  ['...', 'photos/001.jpg'],
  ['../../etc/passwd', 'photos/001 -..-etc-passwd.jpg'],
  ['C:\\Users\\x', 'photos/001 C-Users-x.jpg'],
  ['CON', 'photos/001 CON.jpg'],
  ['What? "Home" <b>|*', 'photos/001 What Home b.jpg'],
  ['line\nbreak\u0000', 'photos/001 linebreak.jpg'],
  ['gpj.exe\u202e', 'photos/001 gpj.exe.jpg'],
  ['ends with dots . . ', 'photos/001 ends with dots.jpg'],
  ['👨‍👩‍👧', 'photos/001 👨👩👧.jpg'],
  ['x'.repeat(400), `photos/001 ${'x'.repeat(50)}.jpg`],
  ['\ud800', 'photos/001 \ufffd.jpg'],
])('%j gives a file name that every system can unpack', (title, name) => {
  expect(photo(title)).toBe(name)
})

test('a file name fits into 255 bytes and its number keeps it unique', () => {
  const long = photo('👩'.repeat(400), 1000).split('/')[1] ?? ''
  expect(new TextEncoder().encode(long).byteLength).toBeLessThanOrEqual(255)
  expect(photo('same', 7)).not.toBe(photo('same', 8))
})

test('the encoded address leads to the file with that name', () => {
  const name = photo('100% #1 ? & "x" it’s')
  const address = new URL(archiveAddress(name), 'file:///home/family/index.html')
  expect([address.hash, address.search]).toEqual(['', ''])
  expect(decodeURIComponent(address.pathname)).toBe(`/home/family/${name}`)
})
