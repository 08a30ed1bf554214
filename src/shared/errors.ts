/** The closed list of API error codes, each with its HTTP status. */
export const ERROR_STATUS = {
  bad_input: 400,
  name_mismatch: 400,
  not_signed_in: 401,
  invalid_credentials: 401,
  payment_required: 402,
  forbidden: 403,
  cross_site: 403,
  email_unverified: 403,
  account_suspended: 403,
  /** The user must prove again, by password or passkey, that it's them. */
  confirmation_needed: 403,
  /** An admin must use a passkey or an authenticator app in this session. */
  second_factor_needed: 403,
  memorial_private: 403,
  invitation_needed: 403,
  /** The invitation asks for its PIN first. */
  pin_needed: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  too_many_drafts: 409,
  too_many_services: 409,
  too_many_keepers: 409,
  gathering_full: 409,
  replies_closed: 409,
  edited_elsewhere: 409,
  memorial_locked: 409,
  name_required: 409,
  quota_exceeded: 409,
  too_long: 409,
  wrong_offset: 409,
  already_paid: 409,
  link_used: 410,
  link_expired: 410,
  upload_expired: 410,
  unknown_version: 412,
  too_large: 413,
  wrong_type: 415,
  too_many_requests: 429,
  internal: 500,
  not_available: 503,
  paynow_unavailable: 503,
  upstream_failed: 502,
} as const

export type ErrorCode = keyof typeof ERROR_STATUS

/** The body of every failed call. `requestId` is present when support may have to find the call in the log. */
export type ErrorBody = {
  message: string
  code: ErrorCode
  fields?: Record<string, string>
  requestId?: string
}

/** The one error that verbs throw. Any other thrown error is a defect and is answered as `internal`. */
export class AppError extends Error {
  override name = 'AppError'
  readonly code: ErrorCode
  readonly fields: Record<string, string> | undefined
  readonly retryAfterSec: number | undefined
  /** Of a memorial that isn't shown: its family lets people ask to be let in. Only the page of the refusal says so. */
  readonly canAsk: true | undefined

  constructor(
    code: ErrorCode,
    message: string,
    more: {
      fields?: Record<string, string> | undefined
      retryAfterSec?: number
      canAsk?: true
      cause?: unknown
    } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.code = code
    this.fields = more.fields
    this.retryAfterSec = more.retryAfterSec
    this.canAsk = more.canAsk
  }

  get status(): (typeof ERROR_STATUS)[ErrorCode] {
    return ERROR_STATUS[this.code]
  }
}

/** An {@link AppError} whose message belongs to one form field. */
export function fieldError(code: ErrorCode, field: string, message: string): AppError {
  return new AppError(code, message, { fields: { [field]: message } })
}
