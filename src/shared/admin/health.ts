import * as z from 'zod/mini'
import { REQUEST_ID } from '../ids.ts'
import { CLIENT_ERROR_MAX } from '../limits.ts'
import { paths } from '../pages/pages.ts'
import { line } from '../text.ts'

/** Every binding of the Worker that can fail, in the order of the console. */
export const HEALTH_PARTS = ['database', 'storage', 'sessions', 'counters', 'queue', 'pictures'] as const
export type HealthPart = (typeof HEALTH_PARTS)[number]

/**
 * The answer of `GET /api/health` while all parts work. Otherwise the call fails with `not_available`, and `fields`
 * names the failing parts.
 */
export type Health = {
  parts: { part: HealthPart; answeredMs: number }[]
  /**
   * The deployed Worker version: Cloudflare's id, its tag, and its upload time; null if Cloudflare doesn't provide
   * it.
   */
  version: { id: string; tag: string; uploadedAt: string } | null
  checkedAt: string
}

const SCREENS = [...Object.values(paths), 'other'] as const

/**
 * An unexpected error in the browser. It contains no name, no address with a token, and nothing that a user wrote.
 */
export const clientErrorInput = z.object({
  name: line({ max: CLIENT_ERROR_MAX.name }),
  message: line({ max: CLIENT_ERROR_MAX.message }),
  /** The route of the screen, such as `/m/:slug`, never its address. */
  screen: z.enum(SCREENS),
  /** The reporting script; its file name contains the hash of its build. */
  release: line({ max: CLIENT_ERROR_MAX.release }),
  /** Request id of the failed call, if there was one. */
  requestId: z.nullable(z.string().check(z.regex(REQUEST_ID))),
})
export type ClientError = z.infer<typeof clientErrorInput>
