import { expect, test } from 'vitest'
import type { MediaUploaded } from '#shared/media.ts'
import { fixture } from '../fixtures.ts'
import { Client, contributorOf, inviteTokenOf, memorialOf, signedIn } from '../harness.ts'
import { silence, upload } from '../uploads.ts'

/** Headers that would reveal something about a file. `Content-Length` is the length of the refusal. */
const REVEALING = [
  'ETag',
  'Accept-Ranges',
  'Content-Range',
  'Last-Modified',
  'Content-Disposition',
  'Cache-Tag',
]

async function stageOf() {
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
  const relative = await contributorOf(owner, memorial.id)
  const elsewhere = await memorialOf({ privacy: 'INVITE' })
  const foreign = await contributorOf(elsewhere.owner, elsewhere.memorial.id)
  const invite = await inviteTokenOf(owner, memorial.id)
  const ids: string[] = []
  for (const file of [
    { bytes: await fixture('polyglot.jpg'), name: 'a.jpg', type: 'IMAGE' },
    { bytes: silence(9000), name: 'v.wav', type: 'AUDIO' },
  ]) {
    ids.push((await upload<MediaUploaded>(relative, memorial.id, file)).body.id)
  }
  return { owner, memorial, relative, foreign, invite, ids }
}

test(
  'refusals reveal nothing about the media of a private memorial',
  { tags: ['private-memorial-hidden'] },
  async () => {
    const { owner, memorial, relative, foreign, invite, ids } = await stageOf()
    const tags = new Map<string, string>()
    for (const id of ids) {
      const seen = await relative.fetch(`/media/stream/${id}`)
      tags.set(id, seen.headers.get('ETag') ?? '')
      await seen.arrayBuffer()
    }
    await owner.patch(`/api/memorials/${memorial.id}/privacy`, { privacy: 'PRIVATE' })
    const people = [new Client(), await signedIn(), foreign, relative]
    const answers = new Set<string>()
    let asked = 0
    for (const id of ids) {
      const path = `/media/stream/${id}`
      const [etag, encoded] = [tags.get(id) ?? '', `/media/stream/%6D${id.slice(1)}`]
      expect(etag).toMatch(/^"/u)
      for (const client of people) {
        for (const [method, address, headers] of [
          ['GET', path, {}],
          ['HEAD', path, {}],
          ['GET', path, { Range: 'bytes=0-1' }],
          ['GET', path, { Range: 'bytes=99999999-' }],
          ['GET', path, { 'If-None-Match': etag }],
          ['HEAD', path, { 'If-None-Match': etag }],
          ['GET', path, { 'If-None-Match': '*' }],
          ['GET', path, { Range: 'bytes=0-1', 'If-Range': etag }],
          ['GET', `${path}?thumbnail=1`, {}],
          ['GET', `${path}?thumbnail=0`, {}],
          ['GET', `${path}?w=320`, {}],
          ['GET', `${path}?w=333`, {}],
          ['HEAD', `${path}?w=1920`, {}],
          ['GET', `${path}?original=1`, {}],
          ['GET', `${path}?invite=${invite}`, {}],
          ['GET', encoded, {}],
          ['GET', `${path}/`, {}],
          ['GET', `/media/stream/${id.toUpperCase()}`, {}],
          ['GET', `/MEDIA/stream/${id}`, {}],
          ['GET', `/media//stream/${id}`, {}],
          ['GET', `/media/stream/${id}%00`, {}],
        ] as const) {
          const response = await client.fetch(address, { method, headers })
          const body = await response.text()
          asked++
          const revealed = REVEALING.filter((name) => response.headers.has(name))
          const isPage = response.headers.get('Content-Type')?.startsWith('text/html')
          expect([method, address, [403, 404].includes(response.status), revealed]).toEqual([
            method,
            address,
            true,
            [],
          ])
          if (!isPage) answers.add(`${response.status} ${response.headers.get('Cache-Control')} ${body}`)
        }
      }
    }
    expect(asked).toBe(2 * 4 * 21)
    // The refusals are identical; a HEAD has no body.
    expect([...answers].toSorted()).toEqual([
      '403 private, no-store ',
      '403 private, no-store {"message":"This memorial is private","code":"memorial_private"}',
      '404 private, no-store {"message":"There is nothing at this address","code":"not_found"}',
      '404 private, no-store {"message":"This photo or recording could not be found","code":"not_found"}',
    ])
  },
)
