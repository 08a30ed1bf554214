/** Which bytes of an object to send: all, `length` bytes from `offset`, or none because the range is beyond its end. */
export type RangePlan =
  | { kind: 'whole' }
  | { kind: 'part'; offset: number; length: number }
  | { kind: 'unsatisfiable' }

const WHOLE: RangePlan = { kind: 'whole' }
const UNSATISFIABLE: RangePlan = { kind: 'unsatisfiable' }

/**
 * Parses a Range header for an object of `size` bytes (RFC 9110, 14). Supports one byte range and ignores several ranges,
 * other units and invalid ones, as the RFC allows. R2's own parser returns the whole object where 416 is correct.
 */
export function planRange(header: string | null, size: number): RangePlan {
  const match = /^bytes=\s*(\d*)-(\d*)\s*$/iu.exec(header ?? '')
  const [from = '', to = ''] = match?.slice(1) ?? []
  if (from === '' && to === '') return WHOLE
  if (from === '') {
    const length = Math.min(Number(to), size)
    return length > 0 ? { kind: 'part', offset: size - length, length } : UNSATISFIABLE
  }
  const first = Number(from)
  const last = to === '' ? size - 1 : Math.min(Number(to), size - 1)
  if (to !== '' && Number(to) < first) return WHOLE
  return first < size ? { kind: 'part', offset: first, length: last - first + 1 } : UNSATISFIABLE
}

/** True when If-None-Match contains this ETag (weak comparison, RFC 9110, 13.1.2). */
export function isKnown(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false
  return ifNoneMatch.split(',').some((one) => {
    const tag = one.trim()
    return tag === '*' || tag.replace(/^W\//u, '') === etag
  })
}

/** True when Range applies: no If-Range, or exactly this strong ETag (RFC 9110, 13.1.5). */
export function mayUseRange(ifRange: string | null, etag: string): boolean {
  return ifRange === null || ifRange.trim() === etag
}
