import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { DAY_MS } from '#shared/limits.ts'
import type { MediaUploaded } from '#shared/media.ts'
import { hashToken } from '#worker/platform/random.ts'
import { fixture } from '../../../../test/worker/fixtures.ts'
import { memorialOf } from '../../../../test/worker/harness.ts'
import { upload } from '../../../../test/worker/uploads.ts'

async function publicPhoto() {
  const { owner, memorial } = await memorialOf()
  const { body } = await upload<MediaUploaded>(owner, memorial.id, {
    bytes: await fixture('polyglot.jpg'),
    name: 'Harare 2025-05-04.jpg',
    type: 'IMAGE',
  })
  await owner.patch(`/api/memorials/${memorial.id}/privacy`, { privacy: 'LOCKED' })
  return { owner, path: `/media/stream/${body.id}` }
}

test('a cacheable response never contains the original file name, even for the owner', async () => {
  const { owner, path } = await publicPhoto()
  const names = async (query: string) => {
    const { headers } = await owner.fetch(path + query, { method: 'HEAD' })
    return [
      headers.get('Cache-Control'),
      /filename="([^"]*)"/u.exec(headers.get('Content-Disposition') ?? '')?.[1],
    ]
  }
  expect(await names('')).toEqual([
    'public, max-age=300',
    expect.stringMatching(/^photo-[a-z0-9]{6}\.webp$/u),
  ])
  expect(await names('?original=1')).toEqual(['private, no-store', 'Harare 2025-05-04.jpg'])
})

test('a response that renews a session is not cacheable, even for a public photo', async () => {
  const { owner, path } = await publicPhoto()
  const key = `session:${hashToken(owner.cookies.get('session') ?? '')}`
  const session = await env.KV.get<{ renewedAt: number }>(key, 'json')
  await env.KV.put(key, JSON.stringify({ ...session, renewedAt: Date.now() - 2 * DAY_MS }))
  const { headers } = await owner.fetch(path, { method: 'HEAD' })
  expect(headers.getSetCookie()).toHaveLength(1)
  expect([headers.get('Cache-Control'), headers.get('Cache-Tag')]).toEqual(['private, no-store', null])
})
