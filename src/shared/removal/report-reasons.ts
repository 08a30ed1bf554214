/** Why somebody reports a message or a media item. */
export const REPORT_REASONS = ['HURTFUL', 'ADVERTISING', 'PRIVATE', 'UNTRUE', 'OTHER'] as const
export type ReportReason = (typeof REPORT_REASONS)[number]

/** What is wrong with a report. Apart from `reportMessages`, because every form that calls the API loads it. */
export const reportErrors = {
  reasonRequired: 'Please choose a reason',
  wordsTooLong: 'Please use at most 300 characters',
} as const
