/** One array after the other, in a new one. */
export function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.byteLength + second.byteLength)
  all.set(first)
  all.set(second, first.byteLength)
  return all
}
