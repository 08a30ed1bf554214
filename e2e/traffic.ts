import type { Response } from '@playwright/test'
import { gzipBytes } from '../tools/build/lib/chunks.ts'

export const KB = 1000

/** A response: its path with the query, its resource type, and its bytes on the wire. */
export type Arrived = { path: string; type: string; bytes: number }

/** Size in bytes after the edge has compressed text; other types are not compressed. */
export async function arrivedIn(answer: Response): Promise<Arrived> {
  const type = answer.request().resourceType()
  const body = await answer.body()
  const isText = /text|json|javascript|svg/u.test(answer.headers()['content-type'] ?? '')
  return { path: pathOf(answer.url()), type, bytes: isText ? gzipBytes(body) : body.length }
}

export function pathOf(address: string): string {
  const { pathname, search } = new URL(address)
  return pathname + search
}

/** Bytes of all responses, or of those of one type. */
export function sumOf(arrived: readonly Arrived[], type?: string): number {
  return arrived
    .filter((one) => type === undefined || one.type === type)
    .reduce((sum, { bytes }) => sum + bytes, 0)
}
