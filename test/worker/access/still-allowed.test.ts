import { createExecutionContext } from 'cloudflare:test'
import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import type { MediaUploaded } from '#shared/media.ts'
import { handleApi } from '#worker/api.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { contributorOf, memorialOf, testCtx, type Client } from '../harness.ts'
import { meanwhileEnv } from '../faults/meanwhile.ts'
import { mediaRowsOf, silence, upload } from '../uploads.ts'

/** What the owner does between the reads and the write of a contributor's call. */
const MEANWHILE: Record<string, (owner: Client, id: string) => Promise<unknown>> = {
  'replaces the link': (owner, id) => owner.post(`/api/memorials/${id}/invite-link/rotate`),
  'makes it public': (owner, id) => owner.patch(`/api/memorials/${id}/privacy`, { privacy: 'LOCKED' }),
  'makes it private': (owner, id) => owner.patch(`/api/memorials/${id}/privacy`, { privacy: 'PRIVATE' }),
  'deletes it': (_, id) =>
    testCtx()
      .db.update(memorials)
      .set({ status: 'DELETED', deletedAt: Date.now() })
      .where(eq(memorials.id, id)),
}

type Own = { path: string; mediaId: string; commentId: string }
const CHANGES: [string, (relative: Client, own: Own) => Promise<{ status: number }>][] = [
  ['a caption', (relative, { mediaId }) => relative.patch(`/api/media/${mediaId}`, { caption: 'Mine' })],
  ['a deleted medium', (relative, { mediaId }) => relative.delete(`/api/media/${mediaId}`)],
  ['a deleted message', (relative, { commentId }) => relative.delete(`/api/comments/${commentId}`)],
  ['a message', (relative, { path }) => relative.post(`${path}/comments`, { body: 'And this' })],
]

async function rowsOf(memorialId: string) {
  const { db } = testCtx()
  const messages = await db.select().from(comments).where(eq(comments.memorialId, memorialId))
  return [await mediaRowsOf(memorialId), messages]
}

test.each(Object.entries(MEANWHILE))(
  'a contributor’s write is refused if the owner %s just before it',
  { tags: ['write-needs-open-memorial'] },
  async (_, action) => {
    for (const [name, change] of CHANGES) {
      const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
      const path = `/api/memorials/${memorial.id}`
      const relative = await contributorOf(owner, memorial.id)
      const file = { bytes: silence(9000), name: 'v.wav', type: 'AUDIO' }
      const sound = await upload<MediaUploaded>(relative, memorial.id, file)
      const posted = await relative.post(`${path}/comments`, { body: 'Rest well' })
      const before = await rowsOf(memorial.id)
      const bindings = meanwhileEnv(() => action(owner, memorial.id))
      relative.send = (url, init) => handleApi(new Request(url, init), bindings, createExecutionContext())
      const own = { path, mediaId: sound.body.id, commentId: posted.body.comment.id as string }
      expect([name, (await change(relative, own)).status]).toEqual([name, 409])
      expect(await rowsOf(memorial.id)).toEqual(before)
    }
  },
)
