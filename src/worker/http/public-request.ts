/** Headers that may pass to the cached entrypoint: none of them says who is asking. */
const PASSED = ['Accept', 'Accept-Language', 'If-None-Match', 'Save-Data']

/** The request as an anonymous visitor would make it: address and harmless headers, no cookie, no authorisation. */
export function toPublicRequest(request: Request): Request {
  const headers = new Headers()
  for (const name of PASSED) {
    const value = request.headers.get(name)
    if (value !== null) headers.set(name, value)
  }
  return new Request(request.url, { method: request.method === 'HEAD' ? 'HEAD' : 'GET', headers })
}
