/** Why somebody reports a message or a media item. */
export const REPORT_REASONS = ['HURTFUL', 'ADVERTISING', 'PRIVATE', 'UNTRUE', 'OTHER'] as const
export type ReportReason = (typeof REPORT_REASONS)[number]
