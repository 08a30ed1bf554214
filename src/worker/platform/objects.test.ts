import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { withDeadline } from './deadlines.ts'
import { PART_BYTES } from '#shared/limits.ts'
import { deletePrefix, putStream } from './objects.ts'

async function* chunks(total: number, step: number) {
  for (let at = 0; at < total; at += step) yield new Uint8Array(Math.min(step, total - at)).fill(at / step)
}

test.for([
  [0, 1],
  [10, 1],
  [PART_BYTES, 1],
  [PART_BYTES + 1, 2],
  [2 * PART_BYTES, 2],
  [20 * 1024 * 1024, 4],
] as const)('putStream writes %i bytes in %i parts', async ([total, parts]) => {
  expect(await putStream(env, `t/${total}`, chunks(total, 300_007), 'image/jpeg')).toEqual({
    size: total,
    parts,
  })
  const stored = await env.MEDIA.get(`t/${total}`)
  expect(stored?.size).toBe(total)
  expect(stored?.httpMetadata?.contentType).toBe('image/jpeg')
  const bytes = new Uint8Array(await stored!.arrayBuffer())
  expect(bytes.every((byte, at) => byte === Math.floor(at / 300_007) % 256)).toBe(true)
})

test('putStream leaves no object behind when the stream fails', async () => {
  async function* broken() {
    yield new Uint8Array(PART_BYTES + 5)
    throw new Error('gone')
  }
  await expect(putStream(env, 'broken', broken(), 'image/jpeg')).rejects.toThrow('gone')
  expect(await env.MEDIA.head('broken')).toBeNull()
})

test('deletePrefix deletes the object and the keys below it, and no others', async () => {
  for (const key of ['p/a', 'p/a/w320.webp', 'p/a/w1920.webp', 'p/ab']) await env.MEDIA.put(key, 'x')
  await deletePrefix(env.MEDIA, 'p/a')
  await deletePrefix(env.MEDIA, 'p/a')
  expect((await env.MEDIA.list({ prefix: 'p/' })).objects.map(({ key }) => key)).toEqual(['p/ab'])
})

test('withDeadline rejects for a promise that never settles', async () => {
  await expect(withDeadline(new Promise(() => {}), 5, 'storage')).rejects.toThrow(
    'storage did not answer in 5 ms',
  )
})
