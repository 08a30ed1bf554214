import { env } from 'cloudflare:test'
import { Buffer } from 'node:buffer'
import { beforeEach, expect, test } from 'vitest'
import type { FuneralEvent } from '#shared/funeral/funeral.ts'
import type { Media, MediaPage } from '#shared/media/media.ts'
import type { RemovedPage } from '#shared/removal/removed.ts'
import { readImageSize } from '#worker/media-formats/image-header.ts'
import { filmWith } from '../../films.ts'
import { TIMED_DATA } from '../../timed-data.ts'
import { fixture } from '../fixtures.ts'
import { runFaults, type Scenario } from './fault-run.ts'
import { type Client, contributorOf, memorialOf } from '../harness.ts'
import { deleteAll } from '../state.ts'
import { sendFixture, sendPortrait, sendProgramme, upload, uploadFixture } from '../uploads.ts'
import { beginUpload, headOf, sendTusChunk } from '../tus.ts'

beforeEach(deleteAll)

type Setup = { owner: Client; sender: Client; memorialId: string; key: string }

const mediaOf = async (owner: Client, memorialId: string): Promise<Media[]> =>
  (await owner.get<MediaPage>(`/api/memorials/${memorialId}/media`)).body.media

/** Every listed item opens, whole and small. */
async function check({ owner, memorialId }: Setup): Promise<void> {
  for (const { id, type, size, thumbnailPath } of await mediaOf(owner, memorialId)) {
    const whole = await owner.fetch(`/media/stream/${id}?original=1`)
    expect([whole.status, (await whole.arrayBuffer()).byteLength]).toEqual([200, size])
    if (type === 'IMAGE' || thumbnailPath !== null) {
      const small = await owner.fetch(`/media/stream/${id}?thumbnail=1`)
      expect([small.status, (await small.arrayBuffer()).byteLength > 0]).toEqual([200, true])
    }
  }
}

async function arrange(who: 'owner' | 'contributor'): Promise<Setup> {
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
  const sender = who === 'owner' ? owner : await contributorOf(owner, memorial.id)
  return { owner, sender, memorialId: memorial.id, key: crypto.randomUUID() }
}
const common = {
  client: ({ sender }: Setup) => sender,
  memorialIds: ({ memorialId }: Setup) => [memorialId],
  done: [200, 201, 204],
  check,
}

function sending(who: 'owner' | 'contributor', name: string, type: Media['type']): Scenario<Setup> {
  return {
    ...common,
    arrange: () => arrange(who),
    async act({ sender, memorialId, key }) {
      const headers = { 'Idempotency-Key': key }
      return (await uploadFixture(sender, memorialId, name, { headers })).status
    },
    async expectDone({ owner, memorialId }) {
      expect((await mediaOf(owner, memorialId)).map((medium) => medium.type)).toEqual([type])
    },
  }
}

/** A film with positions, which is written a second time without them before anybody sees it. */
const film = async () =>
  filmWith(await fixture('video-2s.mov'), [TIMED_DATA['Apple mebx']], { movieLast: true })

async function checkFilm(setup: Setup): Promise<void> {
  const { clean } = await film()
  for (const { id } of await mediaOf(setup.owner, setup.memorialId)) {
    const whole = await setup.owner.fetch(`/media/stream/${id}`)
    expect(Buffer.from(await whole.arrayBuffer()).equals(clean)).toBe(true)
  }
}

const scenarios: Record<string, Scenario<Setup>> = {
  'a film with positions': {
    ...sending('contributor', 'video-2s.mov', 'VIDEO'),
    check: checkFilm,
    async act({ sender, memorialId, key }) {
      const bytes = new Uint8Array((await film()).bytes)
      const headers = { 'Idempotency-Key': key }
      return (await upload(sender, memorialId, { bytes, name: 'film.mov', type: 'VIDEO', headers })).status
    },
  },
  'a photo of the owner': sending('owner', 'photo.png', 'IMAGE'),
  'a contributor’s only recording': sending('contributor', 'voice-note-2s.ogg', 'AUDIO'),
  // A retry may store it twice; but every listed item opens, even if the first attempt's row arrives late.
  'a photo without an idempotency key': {
    ...sending('owner', 'photo.png', 'IMAGE'),
    async act({ sender, memorialId }) {
      return (await uploadFixture(sender, memorialId, 'photo.png')).status
    },
    async expectDone({ owner, memorialId }) {
      expect((await mediaOf(owner, memorialId)).length).toBeGreaterThan(0)
    },
  },
  'a portrait': {
    ...common,
    arrange: () => arrange('owner'),
    async act({ owner, memorialId, key }) {
      const answer = await sendPortrait(owner, memorialId, 'photo.png', { 'Idempotency-Key': key })
      await answer.arrayBuffer()
      return answer.status
    },
    async expectDone({ owner, memorialId }) {
      const { body } = await owner.get(`/api/memorials/${memorialId}`)
      expect((await mediaOf(owner, memorialId)).map(({ id }) => id)).toEqual([body.memorial.profileMediaId])
    },
  },
  'a replaced programme': {
    ...common,
    async arrange() {
      const setup = await arrange('owner')
      const path = `/api/memorials/${setup.memorialId}/funeral`
      await setup.owner.put(path, { title: 'Burial', dateTime: '2026-12-01T10:00' })
      await scenarios['a replaced programme']?.act(setup)
      return setup
    },
    async act({ owner, memorialId }) {
      const answer = await sendProgramme(owner, memorialId)
      await answer.arrayBuffer()
      return answer.status
    },
    async check({ owner, memorialId }) {
      expect((await owner.fetch(`/api/memorials/${memorialId}/funeral-program`)).status).toBe(200)
    },
    async expectDone({ owner, memorialId }) {
      const { body } = await owner.get<{ funeralEvents: FuneralEvent[] }>(`/api/memorials/${memorialId}`)
      expect(body.funeralEvents.map(({ programFileName }) => programFileName)).toEqual(['programme.pdf'])
      const { objects } = await env.MEDIA.list({ prefix: `m/${memorialId}/` })
      expect(objects).toHaveLength(1)
    },
  },
  'the poster of a video': {
    ...common,
    async arrange() {
      const setup = await arrange('contributor')
      const id = await sendFixture(setup.sender, setup.memorialId, 'video-2s.mp4')
      const body = await fixture('photo.webp')
      await (await setup.sender.fetch(`/api/media/${id}/poster`, { method: 'PUT', body })).arrayBuffer()
      return { ...setup, key: id }
    },
    async act({ sender, key }) {
      const body = await fixture('photo.png')
      const answer = await sender.fetch(`/api/media/${key}/poster`, { method: 'PUT', body })
      await answer.arrayBuffer()
      return answer.status
    },
    async expectDone({ owner, memorialId, key }) {
      const large = await owner.fetch(`/media/stream/${key}?w=1920`)
      expect(readImageSize(new Uint8Array(await large.arrayBuffer()))).toEqual({ width: 320, height: 240 })
      const { objects } = await env.MEDIA.list({ prefix: `m/${memorialId}/` })
      expect(objects).toHaveLength(1 + 2)
    },
  },
  'a removal': {
    ...common,
    doneBefore: [404],
    async arrange() {
      const setup = await arrange('contributor')
      return { ...setup, key: await sendFixture(setup.sender, setup.memorialId, 'photo.png') }
    },
    async act({ sender, key }) {
      return (await sender.delete(`/api/media/${key}`)).status
    },
    async expectDone({ owner, memorialId }) {
      expect(await mediaOf(owner, memorialId)).toEqual([])
      expect(await removedIn(owner, memorialId)).toHaveLength(1)
    },
  },
  'a restoration': {
    ...common,
    doneBefore: [404],
    arrange: arrangeRemoved,
    async act({ sender, key }) {
      return (await sender.post(`/api/media/${key}/restore`)).status
    },
    async expectDone({ owner, memorialId }) {
      expect(await mediaOf(owner, memorialId)).toHaveLength(1)
      expect(await removedIn(owner, memorialId)).toEqual([])
    },
  },
  'a deletion for good': {
    ...common,
    doneBefore: [404],
    arrange: arrangeRemoved,
    async act({ sender, key }) {
      return (await sender.delete(`/api/media/${key}?forever=1`)).status
    },
    async expectDone({ owner, memorialId }) {
      expect(await removedIn(owner, memorialId)).toEqual([])
      expect((await env.MEDIA.list({ prefix: `m/${memorialId}/` })).objects).toEqual([])
    },
  },
}

async function arrangeRemoved(): Promise<Setup> {
  const setup = await arrange('contributor')
  const key = await sendFixture(setup.sender, setup.memorialId, 'photo.png')
  await setup.sender.delete(`/api/media/${key}`)
  return { ...setup, key }
}

async function removedIn(owner: Client, memorialId: string) {
  return (await owner.get<RemovedPage>(`/api/memorials/${memorialId}/removed`)).body.media
}

test.each(Object.entries(scenarios))(
  '%s takes effect once or not at all, whichever call fails',
  async (_, scenario) => {
    expect((await runFaults(scenario)).length).toBeGreaterThan(4)
  },
)

/** Like a browser: creates the upload with its key and, if the server has some bytes already, asks for the offset and resumes. */
async function send(
  { sender, memorialId, key }: Setup,
  bytes: Uint8Array<ArrayBuffer>,
  type: Media['type'],
): Promise<number> {
  const headers = { 'Idempotency-Key': key }
  const created = await beginUpload(sender, memorialId, { length: bytes.byteLength, type, headers })
  const path = created.headers.get('Location')
  if (path === null) return created.status
  const sent = await sendTusChunk(sender, path, 0, bytes.slice())
  if (sent.status !== 409) return sent.status
  const asked = await headOf(sender, path)
  if (asked.status !== 200) return asked.status
  const offset = Number(asked.headers.get('Upload-Offset'))
  return offset < bytes.byteLength
    ? (await sendTusChunk(sender, path, offset, bytes.slice(offset))).status
    : 204
}

test('a recording sent in chunks is stored once and whole, whichever call fails', async () => {
  const calls = await runFaults<Setup>({
    ...common,
    arrange: () => arrange('contributor'),
    done: [204],
    act: async (setup) => send(setup, await fixture('voice-note-2s.ogg'), 'AUDIO'),
    async expectDone({ owner, memorialId }) {
      const { body } = await owner.get<MediaPage>(`/api/memorials/${memorialId}/media`)
      expect(body.media.map(({ type }) => type)).toEqual(['AUDIO'])
      const whole = await owner.fetch(`/media/stream/${body.media[0]?.id}`)
      expect([whole.status, (await whole.arrayBuffer()).byteLength]).toEqual([200, body.media[0]?.size])
    },
  })
  expect(calls).toContain('UPLOADS.fetch')
})

test('a film sent in chunks is never shown with positions, whichever call fails', async () => {
  const calls = await runFaults<Setup>({
    ...common,
    check: checkFilm,
    arrange: () => arrange('contributor'),
    done: [204],
    act: async (setup) => send(setup, new Uint8Array((await film()).bytes), 'VIDEO'),
    async expectDone({ owner, memorialId }) {
      expect((await mediaOf(owner, memorialId)).map(({ type }) => type)).toEqual(['VIDEO'])
    },
  })
  // The Durable Object stores it; the only file that the request itself puts is the cleaned one.
  expect(calls.filter((call) => call === 'MEDIA.put')).toHaveLength(1)
})
