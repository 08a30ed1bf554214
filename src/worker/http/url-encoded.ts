const URL_ENCODED = /^application\/x-www-form-urlencoded\s*(?:;|$)/iu

/** True if a request's body says that it is a url-encoded form. */
export function isUrlEncoded({ headers }: Request): boolean {
  return URL_ENCODED.test(headers.get('Content-Type') ?? '')
}
