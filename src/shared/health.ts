import * as z from 'zod/mini'
import { REQUEST_ID } from './ids.ts'
import { CLIENT_ERROR_MAX } from './limits.ts'
import { paths } from './pages.ts'
import { line } from './text.ts'

/** Every binding of the Worker that can be away, in the order in which the console shows them. */
export const HEALTH_PARTS = ['database', 'storage', 'sessions', 'counters', 'queue', 'pictures'] as const
export type HealthPart = (typeof HEALTH_PARTS)[number]

/** What `GET /api/health` says while all is well; else it is refused as `not_available`, `fields` naming what fails. */
export type Health = {
  parts: { part: HealthPart; answeredMs: number }[]
  /** Which upload of the Worker answers: Cloudflare's id, the tag that it was given, and when; null where it is not told. */
  version: { id: string; tag: string; uploadedAt: string } | null
  checkedAt: string
}

const SCREENS = [...Object.values(paths), 'other'] as const

/** An error that no screen expected. Nothing in it names a person, an address with a token, or what somebody wrote. */
export const clientErrorInput = z.object({
  name: line({ max: CLIENT_ERROR_MAX.name }),
  message: line({ max: CLIENT_ERROR_MAX.message }),
  /** The route of the screen, `/m/:slug`, never its address. */
  screen: z.enum(SCREENS),
  /** The script that reports: its name has the hash of its build. */
  release: line({ max: CLIENT_ERROR_MAX.release }),
  /** Of the failed call, where there was one. */
  requestId: z.nullable(z.string().check(z.regex(REQUEST_ID))),
})
export type ClientError = z.infer<typeof clientErrorInput>

/** What may hold something personal: what stands in quotes, an e-mail or web address, a path, a long word or number. */
const PERSONAL = /"[^"]*"?|'[^']*'?|“[^”]*”?|\S*[@/\\]\S*|[\w-]{25,}|\d{3,}/gu

/** An error's own words without what they may quote, in one short line. */
export function stripQuotes(message: string): string {
  return message
    .replaceAll(PERSONAL, '…')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, CLIENT_ERROR_MAX.message)
}
