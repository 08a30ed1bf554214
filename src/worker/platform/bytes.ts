/** Reused, because creating one takes longer than encoding. */
const encoder = new TextEncoder()

/** Encodes a string as UTF-8. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text)
}

/** Concatenates two arrays into a new one. */
export function concatBytes(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.byteLength + second.byteLength)
  all.set(first)
  all.set(second, first.byteLength)
  return all
}

/** SHA-256 of a string in base64, as used in a Content-Security-Policy (https://www.w3.org/TR/CSP3/#grammardef-hash-source). */
export async function sha256Base64(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', utf8(text))
  return btoa(String.fromCharCode(...new Uint8Array(digest)))
}
