import * as z from 'zod/mini'
import type { Comment } from '../comments/comments.ts'
import { REPORT_WORDS_MAX } from '../limits.ts'
import type { Media } from '../media/media.ts'
import { REPORT_REASONS, reportErrors, type ReportReason } from './report-reasons.ts'
import { linesOrNull } from '../text.ts'

export const reportInput = z.object({
  reason: z.enum(REPORT_REASONS, reportErrors.reasonRequired),
  words: z.optional(linesOrNull({ max: REPORT_WORDS_MAX, tooLong: reportErrors.wordsTooLong })),
})
export type ReportInput = z.output<typeof reportInput>
export const reportedQuery = z.object({ cursor: z.optional(z.string()), invite: z.optional(z.string()) })
/** Id of a reported message or media item. */
export const keepReportedInput = z.object({ itemId: z.string() })

/** What people said of one item, as far as nobody has decided about it since. Never who they are. */
export type ReportSummary = {
  count: number
  reasons: { reason: ReportReason; count: number }[]
  /** The newest of what they added. */
  words: string[]
  firstAt: string
}
type Reported = { reports: ReportSummary }
/** For the family and admins. `heldReason` REPORTS: others don't see the item until the family has decided. */
export type ReportedPage = {
  media: (Media & Reported)[]
  comments: (Comment & Reported)[]
  nextCursor: string | null
}
/** A reported item that its family has left. */
export type AdminReport = Reported & {
  /** Id of its first report. */
  id: string
  memorial: { id: string; honoureeFullName: string }
  item: { kind: 'comment' | 'media'; id: string }
}
export type AdminReportPage = { reports: AdminReport[]; nextCursor: string | null }
