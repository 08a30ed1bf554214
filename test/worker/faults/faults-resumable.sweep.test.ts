import { expect, test } from 'vitest'
import type { MediaPage } from '#shared/media.ts'
import { runFaults } from './fault-run.ts'
import { fixture } from '../fixtures.ts'
import { contributorOf, memorialOf, type Client } from '../harness.ts'
import { beginUpload, headOf, sendTusChunk } from '../tus.ts'

type Setup = { owner: Client; sender: Client; memorialId: string; key: string }

/** Like a browser: creates the upload with its key and, if the server has some bytes already, asks for the offset and resumes. */
async function send({ sender, memorialId, key }: Setup): Promise<number> {
  const bytes = await fixture('voice-note-2s.ogg')
  const headers = { 'Idempotency-Key': key }
  const created = await beginUpload(sender, memorialId, { length: bytes.byteLength, type: 'AUDIO', headers })
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
    async arrange() {
      const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
      const sender = await contributorOf(owner, memorial.id)
      return { owner, sender, memorialId: memorial.id, key: crypto.randomUUID() }
    },
    client: ({ sender }) => sender,
    memorialIds: ({ memorialId }) => [memorialId],
    done: [204],
    act: send,
    async expectDone({ owner, memorialId }) {
      const { body } = await owner.get<MediaPage>(`/api/memorials/${memorialId}/media`)
      expect(body.media.map(({ type }) => type)).toEqual(['AUDIO'])
      const whole = await owner.fetch(`/media/stream/${body.media[0]?.id}`)
      expect([whole.status, (await whole.arrayBuffer()).byteLength]).toEqual([200, body.media[0]?.size])
    },
  })
  expect(calls).toContain('UPLOADS.fetch')
})
