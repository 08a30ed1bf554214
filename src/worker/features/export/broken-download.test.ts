import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { memorialExport } from '#shared/export.ts'
import { DAY_MS, EXPORT_PART_BYTES, EXPORT_WHOLE_MAX_BYTES, RATE_LIMITS } from '#shared/limits.ts'
import { media } from '#worker/schema/media.table.ts'
import { takeErrorLines } from '../../../../test/worker/runtime/error-lines.ts'
import { download, downloadFrom, memorialToExport, planOf } from '../../../../test/worker/exported.ts'
import { signedIn } from '../../../../test/worker/harness.ts'
import { exhaustRateLimit } from '../../../../test/worker/uploads.ts'
import { setDeleted } from '../../../../test/worker/whole-memorial.ts'
import { changeRows } from '../../../../test/worker/rows.ts'

/** Pretends in D1 that a media item has this size; the stored file is smaller. */
async function setSize(id: string, size: number): Promise<void> {
  await changeRows(media, { id }, { size })
}

function withGet(get: (key: string) => Promise<unknown>): R2Bucket {
  return new Proxy(env.MEDIA, {
    get(bucket, name) {
      const value: unknown = Reflect.get(bucket, name)
      if (name === 'get') return get
      return typeof value === 'function'
        ? (...args: unknown[]): unknown => Reflect.apply(value, bucket, args)
        : value
    },
  })
}

test('an export lists a file missing from storage and contains everything else', async () => {
  const { owner, memorial, ids } = await memorialToExport()
  await env.MEDIA.delete(`m/${memorial.id}/${ids.photo}`)
  const { names, text, response, bytes } = await download(owner, memorial.id)
  expect(names).toEqual([
    'index.html',
    'memorial.json',
    'missing.txt',
    'programmes/001 Order of service.pdf',
    'videos/001 wedding.mp4',
    'recordings/001 voice.wav',
  ])
  expect(response.headers.get('Content-Length')).toBe(String(bytes.byteLength))
  expect(text('missing.txt')).toContain('photos/001 At the table.jpg (added on ')
  expect(text('index.html')).toContain('This photo was not found. See missing.txt.')
  const { media: exported } = memorialExport.parse(JSON.parse(text('memorial.json')))
  expect(exported.map(({ file }) => file === null)).toEqual([true, false, false])
  expect(takeErrorLines()).toEqual([expect.stringContaining('export_misses_files')])
})

test('an export whose file disappears or breaks off never looks complete', async () => {
  const { owner, memorial, ids } = await memorialToExport()
  const key = `m/${memorial.id}/${ids.film}`
  const real = (name: string) => env.MEDIA.get(name)
  const missing = withGet(async (name) => (name === key ? null : real(name)))
  const broken = withGet(async (name) => {
    const object = await real(name)
    if (name !== key || !object) return object
    const { readable, writable } = new IdentityTransformStream()
    const writer = writable.getWriter()
    const breakOff = async () => {
      await writer.write(new Uint8Array(1000))
      await writer.abort(new Error('the storage broke off'))
    }
    breakOff().catch(() => null)
    return { body: readable, size: object.size }
  })
  const short = withGet(async (name) => {
    const object = name === key ? await env.MEDIA.get(name, { range: { offset: 0, length: 1000 } }) : null
    return object ?? real(name)
  })
  for (const storage of [missing, broken, short]) {
    const { promised, read, isWhole } = await downloadFrom(storage, owner, memorial.id)
    expect([isWhole, read < promised]).toEqual([false, true])
    expect(takeErrorLines()).toEqual([expect.stringContaining('export_broke_off')])
  }
})

test('a large memorial is split into parts that each contain all texts', async () => {
  const { owner, memorial, ids } = await memorialToExport()
  await setSize(ids.photo, EXPORT_PART_BYTES - 100)
  await setSize(ids.film, EXPORT_PART_BYTES + 1)
  const plan = await planOf(owner, memorial.id)
  expect(plan).toMatchObject({
    files: 4,
    mayBeWhole: true,
    parts: [{ part: 1 }, { part: 2 }, { part: 3 }, { part: 4 }],
  })
  const parts = []
  for (const { part } of plan.parts) {
    parts.push(await download(owner, memorial.id, `?part=${part}&state=${plan.state}`))
  }
  expect(parts.map(({ names }) => names.slice(2))).toEqual([
    ['programmes/001 Order of service.pdf'],
    ['photos/001 At the table.jpg'],
    ['videos/001 wedding.mp4'],
    ['recordings/001 voice.wav'],
  ])
  const [first, second] = parts.map(({ text }) => text('index.html'))
  expect(first).toContain('This is part 1 of 4.')
  expect(second).toBe(first?.replace('This is part 1 of 4.', 'This is part 2 of 4.'))
  expect(parts[1]?.response.headers.get('Content-Disposition')).toContain('-part-2-of-4.zip"')
  expect((await owner.get(`/api/memorials/${memorial.id}/export?part=5&state=${plan.state}`)).status).toBe(
    404,
  )
  expect((await owner.get(`/api/memorials/${memorial.id}/export?part=0`)).status).toBe(400)
})

test('a plan from before a change is refused, so parts never mix', async () => {
  const { owner, memorial, ids } = await memorialToExport()
  const { state } = await planOf(owner, memorial.id)
  const path = `/api/memorials/${memorial.id}/export?part=1&state=${state}`
  expect((await owner.fetch(path)).status).toBe(200)
  await owner.patch(`/api/media/${ids.film}`, { caption: 'Our wedding' })
  const { status, body } = await owner.get(path)
  expect([status, body.code]).toEqual([409, 'conflict'])
  expect((await planOf(owner, memorial.id)).state).not.toBe(state)
})

test('a memorial too large for one file is offered only in parts', async () => {
  const { owner, memorial, ids } = await memorialToExport()
  await setSize(ids.film, EXPORT_WHOLE_MAX_BYTES)
  expect((await planOf(owner, memorial.id)).mayBeWhole).toBe(false)
  expect((await owner.get(`/api/memorials/${memorial.id}/export`)).status).toBe(409)
  expect((await download(owner, memorial.id, '?part=2')).names).toContain('videos/001 wedding.mp4')
})

test(
  'only the owner exports a deleted memorial, while it can be restored',
  { tags: ['export-owner-only'] },
  async () => {
    const { owner, memorial, relative } = await memorialToExport()
    const path = `/api/memorials/${memorial.id}/export`
    const admin = await signedIn({ admin: true })
    const statuses = async () => {
      const all = await Promise.all([owner, relative, admin].map((client) => client.fetch(path)))
      await Promise.all(all.map((answer) => answer.arrayBuffer()))
      return all.map(({ status }) => status)
    }
    expect(await statuses()).toEqual([200, 403, 403])
    await setDeleted(memorial.id, 29)
    expect(await statuses()).toEqual([200, 404, 403])
    await setDeleted(memorial.id, 31)
    expect(await statuses()).toEqual([404, 404, 403])
    await setDeleted(memorial.id, 1, { status: 'REMOVED', deletedAt: Date.now() - DAY_MS })
    expect(await statuses()).toEqual([404, 404, 403])
  },
)

test('exports are limited per account', async () => {
  const { owner, memorial } = await memorialToExport()
  await exhaustRateLimit('memorialExports', owner.user.id, RATE_LIMITS.memorialExports.limit - 1)
  const path = `/api/memorials/${memorial.id}/export`
  await (await owner.fetch(path)).arrayBuffer()
  const { status, headers } = await owner.get(path)
  expect([status, Number(headers.get('Retry-After')) > 0]).toEqual([429, true])
})
