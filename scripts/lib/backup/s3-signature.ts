import { createHash, createHmac } from 'node:crypto'

export type S3Keys = { accessKeyId: string; secretAccessKey: string; region: string }
export type Signable = {
  method: string
  url: URL
  /** All that are signed, names in lower case; `host`, the date and the body's hash are added here. */
  headers: Record<string, string>
  /** SHA-256 of the body in hex. */
  bodySha256: string
}

/** SHA-256 of no bytes. */
export const EMPTY_SHA256 = createHash('sha256').digest('hex')

/**
 * The headers of a request to S3, signed. Source: AWS Signature Version 4,
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export function signS3(request: Signable, keys: S3Keys, now: Date): Record<string, string> {
  const time = now.toISOString().replaceAll(/[-:]|\.\d+/gu, '')
  const date = time.slice(0, 8)
  const headers: Record<string, string> = {
    ...request.headers,
    host: request.url.host,
    'x-amz-content-sha256': request.bodySha256,
    'x-amz-date': time,
  }
  const names = Object.keys(headers).toSorted()
  const signedNames = names.join(';')
  const canonical = [
    request.method,
    request.url.pathname,
    canonicalQuery(request.url.searchParams),
    ...names.map((name) => `${name}:${(headers[name] ?? '').trim().replaceAll(/ +/gu, ' ')}`),
    '',
    signedNames,
    request.bodySha256,
  ].join('\n')
  const scope = `${date}/${keys.region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, createHash('sha256').update(canonical).digest('hex')].join(
    '\n',
  )
  const key = [date, keys.region, 's3', 'aws4_request'].reduce<Buffer | string>(
    (last, word) => createHmac('sha256', last).update(word).digest(),
    `AWS4${keys.secretAccessKey}`,
  )
  const signature = createHmac('sha256', key).update(text).digest('hex')
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${keys.accessKeyId}/${scope},SignedHeaders=${signedNames},Signature=${signature}`,
  }
}

/** A text as S3 wants it in an address: everything but letters, digits and `-._~` in percent signs. */
export function encodeForS3(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/gu,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function canonicalQuery(query: URLSearchParams): string {
  return [...query]
    .map(([name, value]) => `${encodeForS3(name)}=${encodeForS3(value)}`)
    .toSorted()
    .join('&')
}
