import { env } from 'cloudflare:test'
import { Buffer } from 'node:buffer'
import { expect, test } from 'vitest'
import type { MediaUploaded } from '#shared/media/media.ts'
import { makeVariants } from '#worker/features/media/pictures.ts'
import { fixture } from '../../../../test/worker/fixtures.ts'
import { memorialOf, testCtx, type Client } from '../../../../test/worker/harness.ts'
import { upload } from '../../../../test/worker/uploads.ts'
import { isKnown, mayUseRange, planRange } from './serve-media.ts'

type Stored = { owner: Client; path: string; key: string; headers: Record<string, string> }

async function stored(name: string, type: string, query: string, object: string): Promise<Stored> {
  const { owner, memorial } = await memorialOf()
  const { body } = await upload<MediaUploaded>(owner, memorial.id, { bytes: await fixture(name), name, type })
  if (type === 'VIDEO' && query !== '') {
    const poster = await fixture('photo.webp')
    await (await owner.fetch(`/api/media/${body.id}/poster`, { method: 'PUT', body: poster })).arrayBuffer()
  }
  const isAvif = object.endsWith('.avif')
  if (isAvif) await makeVariants(testCtx(), body.id)
  const [{ poster_key }] = (
    await env.DB.prepare('SELECT poster_key FROM media WHERE id = ?')
      .bind(body.id)
      .all<{ poster_key: string }>()
  ).results as [{ poster_key: string | null }]
  return {
    owner,
    path: `/media/stream/${body.id}${query}`,
    key: (poster_key ?? `m/${memorial.id}/${body.id}`) + object,
    headers: isAvif ? { Accept: 'image/avif' } : {},
  }
}

/** The same rules apply to everything served (RFC 9110, 13 and 14). */
test.for([
  ['a video', 'video-2s.webm', 'VIDEO', '', '', 'video/webm'],
  ['a recording', 'audio-2s.mp3', 'AUDIO', '', '', 'audio/mpeg'],
  ['a recording in CAF', 'voice-note-2s.ogg', 'AUDIO', '?as=caf', '/voice.caf', 'audio/x-caf'],
  ['the original of a photo', 'photo-gps.jpg', 'IMAGE', '?original=1', '', 'image/jpeg'],
  ['a photo', 'photo-gps.jpg', 'IMAGE', '', '/w1920.webp', 'image/webp'],
  ['a small photo', 'photo-gps.jpg', 'IMAGE', '?w=320', '/w320.webp', 'image/webp'],
  ['a small photo in AVIF', 'photo-gps.jpg', 'IMAGE', '?w=320', '/w320.avif', 'image/avif'],
  ['the poster of a video', 'video-2s.mp4', 'VIDEO', '?thumbnail=1', '/w320.webp', 'image/webp'],
] as const)(
  '%s is served byte for byte, complete and in ranges',
  async ([, name, type, query, object, mimeType]) => {
    const { owner, path, key, headers } = await stored(name, type, query, object)
    const ask = async (more: Record<string, string>, method = 'GET') => {
      const response = await owner.fetch(path, { method, headers: { ...headers, ...more } })
      const body = Buffer.from(await response.arrayBuffer())
      const head = (title: string) => response.headers.get(title)
      return {
        status: response.status,
        length: head('Content-Length'),
        range: head('Content-Range'),
        head,
        body,
      }
    }
    const whole = await ask({})
    const bytes = Buffer.from((await (await env.MEDIA.get(key))?.arrayBuffer()) ?? '')
    const size = bytes.byteLength
    const etag = whole.head('ETag') ?? ''
    expect([whole.status, whole.length, whole.range, whole.head('Content-Type')]).toEqual([
      200,
      String(size),
      null,
      mimeType,
    ])
    expect([size > 500, whole.body.equals(bytes), /^"[^"]+"$/u.test(etag)]).toEqual([true, true, true])
    expect(whole.head('Vary')).toBe(
      mimeType.startsWith('image/') && query !== '?original=1' ? 'Accept' : null,
    )

    for (const [range, from, to] of [
      ['bytes=0-0', 0, 0],
      ['bytes=100-299', 100, 299],
      ['bytes=7-', 7, size - 1],
      [`bytes=${size - 1}-`, size - 1, size - 1],
      ['bytes=-300', size - 300, size - 1],
      [`bytes=-${size + 5}`, 0, size - 1],
      [`bytes=${size - 10}-${size + 10}`, size - 10, size - 1],
    ] as const) {
      const part = await ask({ Range: range, 'If-Range': etag })
      expect([range, part.status, part.length, part.range, part.head('ETag')]).toEqual([
        range,
        206,
        String(to - from + 1),
        `bytes ${from}-${to}/${size}`,
        etag,
      ])
      expect([range, part.body.equals(bytes.subarray(from, to + 1))]).toEqual([range, true])
    }
    for (const range of [`bytes=${size}-`, `bytes=${size}-${size + 9}`, 'bytes=-0']) {
      const beyond = await ask({ Range: range })
      expect([range, beyond.status, beyond.range, beyond.body.byteLength]).toEqual([
        range,
        416,
        `bytes */${size}`,
        0,
      ])
    }
    for (const ignored of [
      { Range: 'bytes=0-1,4-5' },
      { Range: 'bytes=5-2' },
      { Range: 'items=0-1' },
      { Range: 'bytes=0-1', 'If-Range': `W/${etag}` },
      { Range: 'bytes=0-1', 'If-Range': '"other"' },
      { Range: 'bytes=0-1', 'If-Range': new Date().toUTCString() },
    ]) {
      const answer = await ask(ignored)
      expect([ignored, answer.status, answer.range, answer.body.equals(bytes)]).toEqual([
        ignored,
        200,
        null,
        true,
      ])
    }
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const answer = await ask({ 'If-None-Match': known, Range: 'bytes=0-1' })
      expect([known, answer.status, answer.head('ETag'), answer.body.byteLength]).toEqual([
        known,
        304,
        etag,
        0,
      ])
    }
    expect((await ask({ 'If-None-Match': '"other"' })).status).toBe(200)
    const head = await ask({ Range: 'bytes=0-1' }, 'HEAD')
    expect([
      head.status,
      head.length,
      head.head('Content-Type'),
      head.head('ETag'),
      head.body.byteLength,
    ]).toEqual([200, String(size), mimeType, etag, 0])
    expect((await ask({ 'If-None-Match': etag }, 'HEAD')).status).toBe(304)
  },
)

const part = (offset: number, length: number) => ({ kind: 'part', offset, length })
const whole = { kind: 'whole' }
const unsatisfiable = { kind: 'unsatisfiable' }

test.for([
  ['bytes=0-0', part(0, 1)],
  ['bytes=2-4', part(2, 3)],
  ['bytes=5-', part(5, 5)],
  ['bytes=-3', part(7, 3)],
  ['bytes=9-9', part(9, 1)],
  ['bytes=-100', part(0, 10)],
  ['bytes=0-999', part(0, 10)],
  ['bytes=0-18446744073709551616', part(0, 10)],
  ['BYTES=1-1', part(1, 1)],
  ['bytes= 0-1', part(0, 2)],
  ['bytes=10-', unsatisfiable],
  ['bytes=999-', unsatisfiable],
  ['bytes=10-20', unsatisfiable],
  ['bytes=-0', unsatisfiable],
  ['bytes=5-2', whole],
  ['bytes=abc', whole],
  ['bytes=-', whole],
  ['bytes=', whole],
  ['items=0-1', whole],
  ['bytes=0-1,4-5', whole],
  ['', whole],
  [null, whole],
] as const)('planRange handles %s for 10 bytes', ([header, plan]) => {
  expect(planRange(header, 10)).toEqual(plan)
})

test('every range of an empty object is unsatisfiable', () => {
  expect(planRange('bytes=0-', 0)).toEqual(unsatisfiable)
  expect(planRange('bytes=-1', 0)).toEqual(unsatisfiable)
})

test('If-None-Match compares weakly and accepts a list or *', () => {
  expect(isKnown(null, '"a"')).toBe(false)
  expect(isKnown('"b"', '"a"')).toBe(false)
  expect(isKnown('"b", "a"', '"a"')).toBe(true)
  expect(isKnown('W/"a"', '"a"')).toBe(true)
  expect(isKnown('*', '"a"')).toBe(true)
})

test('If-Range compares strongly; a date never matches', () => {
  expect(mayUseRange(null, '"a"')).toBe(true)
  expect(mayUseRange('"a"', '"a"')).toBe(true)
  expect(mayUseRange('W/"a"', '"a"')).toBe(false)
  expect(mayUseRange('"b"', '"a"')).toBe(false)
  expect(mayUseRange('Sat, 21 Nov 2026 00:00:00 GMT', '"a"')).toBe(false)
})
