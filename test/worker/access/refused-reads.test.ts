import { expect, test } from 'vitest'
import type { Privacy } from '#shared/memorials/memorials.ts'
import { Client, contributorOf, inviteTokenOf, memorialOf, signedIn, type SignedIn } from '../harness.ts'
import { sendFixture } from '../uploads.ts'

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
  const ids = [
    await sendFixture(relative, memorial.id, 'polyglot.jpg'),
    await sendFixture(relative, memorial.id, 'voice-note-2s.ogg'),
  ]
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
          // These are no addresses of the file.
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
          const isOfFile = [path, encoded].includes(address.split('?')[0] ?? '')
          expect([method, address, response.status, revealed]).toEqual([
            method,
            address,
            isOfFile ? 403 : 404,
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
      '404 private, no-store {"message":"This photo or recording could not be found","code":"not_found"}',
      '404 private, no-store {"message":"We can’t find that page","code":"not_found"}',
    ])
  },
)

/** Ways to revoke a memorial, or a person's access to it: a call by the owner or an admin. */
const WAYS: Record<string, { privacy: Privacy; revoke: (owner: SignedIn, id: string) => Promise<unknown> }> =
  {
    'made private': {
      privacy: 'LOCKED',
      revoke: (owner, id) => owner.patch(`/api/memorials/${id}/privacy`, { privacy: 'PRIVATE' }),
    },
    'made invite-only': {
      privacy: 'LOCKED',
      revoke: (owner, id) => owner.patch(`/api/memorials/${id}/privacy`, { privacy: 'INVITE' }),
    },
    'removed by an admin': {
      privacy: 'LOCKED',
      revoke: async (_, id) => (await signedIn({ admin: true })).post(`/api/admin/memorials/${id}/remove`),
    },
    'deleted by its owner': {
      privacy: 'LOCKED',
      revoke: (owner, id) => owner.delete(`/api/memorials/${id}`, { confirmName: 'Tendai Rudo Moyo' }),
    },
    'given a new link': {
      privacy: 'INVITE',
      revoke: (owner, id) => owner.post(`/api/memorials/${id}/invite-link/rotate`),
    },
    'closed to its contributors': {
      privacy: 'INVITE',
      revoke: (owner, id) => owner.patch(`/api/memorials/${id}/privacy`, { privacy: 'PRIVATE' }),
    },
  }

test.each(Object.entries(WAYS))(
  'a memorial %s refuses the next fetch, also of cached media',
  { tags: ['media-cached-only-when-public'] },
  async (_, { privacy, revoke }) => {
    const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE' })
    const relative = await contributorOf(owner, memorial.id)
    const id = await sendFixture(owner, memorial.id, 'voice-note-2s.ogg')
    await owner.put(`${path}/funeral`, { dateTime: '2026-06-06T10:00' })
    await owner.patch(`${path}/privacy`, { privacy })
    const viewer = privacy === 'LOCKED' ? new Client() : relative
    const stream = `/media/stream/${id}`
    const paths = [
      stream,
      path,
      `/api/memorial/${memorial.slug}`,
      `${path}/media`,
      `${path}/comments`,
      `${path}/funeral-events`,
      `${path}/funeral.ics`,
    ]
    const view = async (address: string, headers: Record<string, string> = {}) => {
      const response = await viewer.fetch(address, { headers })
      await response.arrayBuffer()
      return response
    }
    const tags = new Map<string, string>()
    for (const address of paths) {
      const { status, headers } = await view(address)
      const isCached = privacy === 'LOCKED' && address === stream
      const caching = isCached
        ? ['public, max-age=300', `memorial-${memorial.id}`]
        : ['private, no-store', null]
      expect([address, status, headers.get('Cache-Control'), headers.get('Cache-Tag')]).toEqual([
        address,
        200,
        ...caching,
      ])
      tags.set(address, headers.get('ETag') ?? '"none"')
    }
    expect(tags.get(stream)).not.toBe('"none"')
    await revoke(owner, memorial.id)
    for (const address of paths) {
      for (const headers of [{}, { 'If-None-Match': tags.get(address) ?? '' }, { 'If-None-Match': '*' }]) {
        const { status, headers: answered } = await view(address, headers)
        expect([
          address,
          status >= 403 && status <= 404,
          answered.get('Cache-Control'),
          answered.get('ETag'),
          answered.get('Cache-Tag'),
        ]).toEqual([address, true, 'private, no-store', null, null])
      }
    }
  },
)
