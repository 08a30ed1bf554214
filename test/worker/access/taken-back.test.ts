import { expect, test } from 'vitest'
import type { Privacy } from '#shared/memorials.ts'
import type { MediaUploaded } from '#shared/media.ts'
import { Client, contributorOf, memorialOf, signedIn, type SignedIn } from '../harness.ts'
import { silence, upload } from '../uploads.ts'

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
    const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
    const path = `/api/memorials/${memorial.id}`
    const relative = await contributorOf(owner, memorial.id)
    const sound = { bytes: silence(9000), name: 'v.wav', type: 'AUDIO' }
    const { id } = (await upload<MediaUploaded>(owner, memorial.id, sound)).body
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
