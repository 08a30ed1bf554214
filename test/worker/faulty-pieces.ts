import { expect } from 'vitest'
import type { MediaPage } from '#shared/media.ts'
import { runFaults } from './fault-run.ts'
import type { FaultMode } from './faults.ts'
import { fixture } from './fixtures.ts'
import { contributorOf, memorialOf, type Client } from './harness.ts'
import { beginUpload, headOf, sendPiece } from './tus.ts'

type Stand = { owner: Client; sender: Client; memorialId: string; key: string }

/** As a browser does: begins with its key; where something is there already, asks how much, and goes on. */
async function send({ sender, memorialId, key }: Stand): Promise<number> {
  const bytes = await fixture('voice-note-2s.ogg')
  const headers = { 'Idempotency-Key': key }
  const begun = await beginUpload(sender, memorialId, { length: bytes.byteLength, type: 'AUDIO', headers })
  const path = begun.headers.get('Location')
  if (path === null) return begun.status
  const sent = await sendPiece(sender, path, 0, bytes.slice())
  if (sent.status !== 409) return sent.status
  const asked = await headOf(sender, path)
  if (asked.status !== 200) return asked.status
  const offset = Number(asked.headers.get('Upload-Offset'))
  return offset < bytes.byteLength ? (await sendPiece(sender, path, offset, bytes.slice(offset))).status : 204
}

/**
 * Sends the one recording that a relative may add as a resumable upload, with each call to a binding going wrong in this
 * way, and demands that it is there once and whole in the end. A file of tests each, because the pool slows with every request.
 */
export async function expectPiecesSurvive(mode: FaultMode): Promise<void> {
  const { calls, faults } = await runFaults<Stand>(
    {
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
    },
    [mode],
  )
  expect(calls).toContain('UPLOADS.fetch')
  console.log(`${faults} faults (${mode}): ${calls.join(' ')}`)
}
