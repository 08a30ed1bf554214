import type { R2Bucket, R2UploadedPart } from '@cloudflare/workers-types'

type Env = { MEDIA: R2Bucket }
type Body = Parameters<R2Bucket['put']>[1]

/**
 * The least a Worker can do with files: what comes goes into R2, what is asked for comes out of it. No account, no look at
 * the bytes, nothing that outlives a crash. `POST /key` stores a body whole; `POST /key?begin` begins an upload in
 * pieces, `PATCH` stores a piece as a part, the last one with all parts named makes the object; `GET` gives it back.
 */
export default {
  async fetch(request: Request, { MEDIA }: Env): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const key = pathname.slice(1)
    const body = request.body as unknown as Body
    if (request.method === 'GET') {
      const object = await MEDIA.get(key)
      if (!object) return new Response(null, { status: 404 })
      // Without a type the local runtime takes it for text and compresses it.
      const headers = { 'Content-Length': String(object.size), 'Content-Type': 'video/mp4' }
      return new Response(object.body as unknown as BodyInit, { headers })
    }
    if (request.method === 'DELETE') {
      await MEDIA.delete(key)
      return new Response(null, { status: 204 })
    }
    if (request.method === 'POST' && !searchParams.has('begin')) {
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
