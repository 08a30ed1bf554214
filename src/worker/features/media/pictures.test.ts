import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import type { MediaUploaded } from '#shared/media/media.ts'
import { createCtx, type Ctx, type RequestCtx } from '#worker/platform/ctx.ts'
import { findImage, makeVariants } from '#worker/features/media/pictures.ts'
import { randomBase32 } from '#worker/platform/random.ts'
import { takeErrorLines } from '../../../../test/worker/runtime/error-lines.ts'
import { fixture } from '../../../../test/worker/fixtures.ts'
import { memorialOf, testCtx, type Client } from '../../../../test/worker/harness.ts'
import { objectsOf, upload } from '../../../../test/worker/uploads.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'

const CHROMIUM = 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8'

/** The context of a stranger's request for an image. */
function asRequest(ctx: Ctx): RequestCtx {
  const request = new Request('https://nhaka.test/', { headers: { Accept: CHROMIUM } })
  return {
    ...ctx,
    request,
    credentials: { contributorHeader: null, cookies: {} },
    ip: '10.0.0.1',
    user: null,
  }
}

/** A drawing enlarged to this size, because no fixture is that wide. */
async function drawing(width: number, height: number): Promise<Uint8Array<ArrayBuffer>> {
  const small = new Blob([await fixture('photo.png')]).stream()
  const made = await env.IMAGES.input(small)
    .transform({ width, height, fit: 'squeeze' })
    .output({ format: 'image/jpeg' })
  return new Uint8Array(await new Response(made.image()).arrayBuffer())
}

async function photoOf(bytes: Uint8Array<ArrayBuffer>) {
  const { owner, memorial } = await memorialOf()
  const { body } = await upload<MediaUploaded>(owner, memorial.id, { bytes, name: 'a.jpg', type: 'IMAGE' })
  const key = `m/${memorial.id}/${body.id}`
  const stored = async () => (await objectsOf(memorial.id)).map((name) => name.slice(key.length))
  return { owner, id: body.id, media: body.media, path: `/media/stream/${body.id}`, key, stored }
}

async function ask(client: Client, path: string, headers: Record<string, string>) {
  const response = await client.fetch(path, { headers })
  const bytes = new Uint8Array(await response.arrayBuffer())
  return {
    status: response.status,
    type: response.headers.get('Content-Type'),
    etag: response.headers.get('ETag') ?? '',
    vary: response.headers.get('Vary'),
    name: response.headers.get('Content-Disposition'),
    bytes,
  }
}

test('a browser that accepts AVIF gets it once it exists, and WebP until then', async () => {
  const { owner, path, key } = await photoOf(await fixture('photo.webp'))
  const first = await ask(owner, `${path}?thumbnail=1`, { Accept: CHROMIUM })
  expect([first.status, first.type, first.vary]).toEqual([200, 'image/webp', 'Accept'])
  await expect.poll(async () => env.MEDIA.head(`${key}/w320.avif`)).not.toBeNull()
  const second = await ask(owner, `${path}?thumbnail=1`, { Accept: CHROMIUM })
  expect([second.status, second.type, second.vary]).toEqual([200, 'image/avif', 'Accept'])
  expect(second.name).toMatch(/^inline; filename="a\.avif"/u)
  expect(await env.IMAGES.info(new Blob([second.bytes]).stream())).toMatchObject({
    format: 'image/avif',
    width: 320,
    height: 240,
  })
  for (const accept of ['*/*', 'image/webp,image/*', 'image/avif;q=0,image/webp', 'x-image/avif']) {
    const other = await ask(owner, `${path}?thumbnail=1`, { Accept: accept })
    expect([accept, other.type, other.etag]).toEqual([accept, 'image/webp', first.etag])
  }
  const known = async (accept: string, etag: string) =>
    (await ask(owner, `${path}?thumbnail=1`, { Accept: accept, 'If-None-Match': etag })).status
  expect([await known(CHROMIUM, second.etag), await known('*/*', first.etag)]).toEqual([304, 304])
  expect([await known(CHROMIUM, first.etag), await known('*/*', second.etag)]).toEqual([200, 200])
})

test('a wide photo gets its variants once after the upload, a portrait one more', async () => {
  const { owner, id, path, stored } = await photoOf(await drawing(1400, 1050))
  const all = ['', '/w1280.webp', '/w1920.webp', '/w320.avif', '/w320.webp', '/w640.avif', '/w640.webp']
  await expect.poll(stored).toEqual(all)
  const times = async () => (await env.MEDIA.list()).objects.map(({ uploaded }) => uploaded.getTime())
  const before = await times()
  await Promise.all([makeVariants(testCtx(), id), makeVariants(testCtx(), id)])
  expect([await stored(), await times()]).toEqual([all, before])
  const types: (string | null)[] = []
  for (const query of ['?w=320', '?w=640', '?w=1280', '?w=1920', '']) {
    types.push((await ask(owner, path + query, { Accept: CHROMIUM })).type)
  }
  expect(types).toEqual(['image/avif', 'image/avif', 'image/webp', 'image/webp', 'image/webp'])
  await env.DB.prepare('UPDATE memorials SET profile_media_id = ?').bind(id).run()
  await makeVariants(testCtx(), id)
  expect((await ask(owner, `${path}?w=480`, { Accept: CHROMIUM })).type).toBe('image/avif')
})

test('two concurrent jobs create the same variants without an error', async () => {
  const { id, path, owner, stored } = await photoOf(await drawing(600, 450))
  await Promise.all([makeVariants(testCtx(), id), makeVariants(testCtx(), id), ask(owner, path, {})])
  expect(await stored()).toEqual(['', '/w1920.webp', '/w320.avif', '/w320.webp', '/w640.avif'])
})

test('a photo is not enlarged, and one that is too tall for AVIF gets none', async () => {
  const { owner, id, path, stored } = await photoOf(await drawing(300, 1400))
  const etags = new Set<string>()
  for (const query of ['?w=640', '?w=1280', '?w=1920', '']) {
    etags.add((await ask(owner, path + query, { Accept: CHROMIUM })).etag)
  }
  await makeVariants(testCtx(), id)
  expect([etags.size, await stored()]).toEqual([1, ['', '/w1920.webp', '/w320.webp']])
})

test('a variant is attempted at most three times an hour', async () => {
  const key = `m/mem_${randomBase32(20)}/med_${randomBase32(20)}`
  await env.MEDIA.put(`${key}/w1920.webp`, await drawing(1000, 750))
  const row = { objectKey: key, posterKey: null, width: 1000, height: 750 }
  const late: Promise<unknown>[] = []
  let calls = 0
  const asking = async (input: ImagesBinding['input']) => {
    const counted: ImagesBinding['input'] = (...given) => {
      calls++
      return input(...given)
    }
    const base = createCtx({
      env: { ...env, IMAGES: { ...env.IMAGES, input: counted } },
      waitUntil: (work) => late.push(work),
    })
    return (await findImage(asRequest(base), row, 640))?.key
  }
  const refuse: ImagesBinding['input'] = () => {
    throw Object.assign(new Error('unavailable'), { code: 9529 })
  }
  const failed = await Promise.allSettled([1, 2, 3].map(() => asking(refuse)))
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  await Promise.all(late)
  const found = await atOnce(9, () => asking((...given) => env.IMAGES.input(...given)))
  await Promise.all(late)
  expect([new Set(found), calls]).toEqual([new Set([`${key}/w1920.webp`]), 6])
  expect(takeErrorLines()).toHaveLength(3)
})

test('the first request for a variant checks R2 for it once', async () => {
  const { key, media } = await photoOf(await fixture('photo.webp'))
  await env.MEDIA.delete(`${key}/w320.webp`)
  const heads: string[] = []
  const MEDIA = new Proxy(env.MEDIA, {
    get(bucket, name) {
      if (name === 'head') {
        return (asked: string) => {
          heads.push(asked)
          return bucket.head(asked)
        }
      }
      const value: unknown = Reflect.get(bucket, name)
      return typeof value === 'function' ? value.bind(bucket) : value
    },
  })
  const late: Promise<unknown>[] = []
  const base = createCtx({ env: { ...env, MEDIA }, waitUntil: (work) => late.push(work) })
  const row = { objectKey: key, posterKey: null, width: media.width, height: media.height }
  expect((await findImage(asRequest(base), row, 320))?.key).toBe(`${key}/w320.webp`)
  await Promise.all(late)
  expect(heads).toEqual([`${key}/w320.avif`, `${key}/w320.webp`])
})

test('no variants are created for a deleted photo', async () => {
  const { owner, id, stored } = await photoOf(await drawing(700, 500))
  await owner.delete(`/api/media/${id}?forever=1`)
  await makeVariants(testCtx(), id)
  await expect.poll(stored).toEqual([])
})
