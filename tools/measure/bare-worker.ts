import type { R2Bucket, R2UploadedPart } from '@cloudflare/workers-types'

type Env = { MEDIA: R2Bucket }
type Body = Parameters<R2Bucket['put']>[1]

/**
 * A baseline Worker that only stores and serves files: no accounts, no validation, no recovery after a crash. `POST /key` stores
 * a whole body. `POST /key?start` starts a multipart upload, `PATCH` stores a chunk as a part, and the last one lists all parts
 * to complete the object. `GET` returns it.
 */
export default {
  async fetch(request: Request, { MEDIA }: Env): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const key = pathname.slice(1)
    const body = request.body as unknown as Body
    if (request.method === 'GET') {
      const object = await MEDIA.get(key)
      if (!object) return new Response(null, { status: 404 })
      // Without a type the local runtime treats it as text and compresses it.
      const headers = { 'Content-Length': String(object.size), 'Content-Type': 'video/mp4' }
      return new Response(object.body as unknown as BodyInit, { headers })
    }
    if (request.method === 'DELETE') {
      await MEDIA.delete(key)
      return new Response(null, { status: 204 })
    }
    if (request.method === 'POST' && !searchParams.has('start')) {
      await MEDIA.put(key, body)
      return new Response(null, { status: 201 })
    }
    if (request.method === 'POST') {
      return new Response((await MEDIA.createMultipartUpload(key)).uploadId, { status: 201 })
    }
    const upload = MEDIA.resumeMultipartUpload(key, searchParams.get('upload') ?? '')
    const part = await upload.uploadPart(
      Number(searchParams.get('part')),
      body as Parameters<typeof upload.uploadPart>[1],
    )
    const before = searchParams.get('complete')
    if (before !== null) await upload.complete([...(JSON.parse(before) as R2UploadedPart[]), part])
    return Response.json(part)
  },
}
