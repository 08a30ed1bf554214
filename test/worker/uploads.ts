import { env, runInDurableObject } from 'cloudflare:test'
import { eq } from 'drizzle-orm'
import { media } from '#worker/features/media/media.table.ts'
import { testCtx, type Answer, type Client } from './harness.ts'

type Upload = {
  bytes: Uint8Array<ArrayBuffer>
  name: string
  type: string
  /** Default true: the type stands before the file. */
  typeFirst?: boolean
  /** As a field after the file. */
  contributorToken?: string
  headers?: Record<string, string>
}

/** Sends one file as a browser would. */
export async function upload<T = any>(client: Client, memorialId: string, file: Upload): Promise<Answer<T>> {
  const form = new FormData()
  if (file.typeFirst !== false) form.append('type', file.type)
  form.append('file', new File([file.bytes], file.name, { type: 'application/octet-stream' }))
  if (file.typeFirst === false) form.append('type', file.type)
  if (file.contributorToken !== undefined) form.append('contributorToken', file.contributorToken)
  const response = await client.fetch(`/api/memorials/${memorialId}/media/upload`, {
    method: 'POST',
    body: form,
    ...(file.headers ? { headers: file.headers } : {}),
  })
  return { status: response.status, body: await response.json<T>(), headers: response.headers }
}

/** Keys of everything that lies in R2 for a memorial's media. */
export async function objectsOf(memorialId: string): Promise<string[]> {
  const { objects } = await env.MEDIA.list({ prefix: `m/${memorialId}/` })
  return objects.map(({ key }) => key)
}

export async function mediaRowsOf(memorialId: string) {
  return testCtx().db.select().from(media).where(eq(media.memorialId, memorialId))
}

/** Ids of the media that the quota object counts or holds room for. */
export async function quotaItemsOf(memorialId: string): Promise<string[]> {
  return runInDurableObject(env.QUOTA.getByName(memorialId), (_, state) =>
    state.storage.sql
      .exec<{ media_id: string }>('SELECT media_id FROM items ORDER BY media_id')
      .toArray()
      .map((row) => row.media_id),
  )
}
