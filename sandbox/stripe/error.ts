/** The fields of Stripe's error object: https://docs.stripe.com/api/errors */
export type ErrorBody = {
  type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error'
  code?: string
  decline_code?: string
  doc_url?: string
  message: string
  param?: string
  charge?: string
  payment_intent?: object
  payment_method?: object
}

/** An error response of Stripe's API. */
export class StripeFailure extends Error {
  readonly status: number
  readonly body: ErrorBody

  constructor(status: number, body: ErrorBody) {
    super(body.message)
    this.status = status
    this.body = body.code
      ? { ...body, doc_url: `https://stripe.com/docs/error-codes/${dashed(body.code)}` }
      : body
  }
}

/** 400 `invalid_request_error`. */
export function invalid(message: string, fields: Partial<ErrorBody> = {}): StripeFailure {
  return new StripeFailure(400, { type: 'invalid_request_error', message, ...fields })
}

/** 402 `card_error`, for an invalid card. */
export function cardError(code: string, message: string, param: string): StripeFailure {
  return new StripeFailure(402, { type: 'card_error', code, message, param })
}

/** 404 `resource_missing`, with Stripe's message. */
export function missing(noun: string, id: string, param: string): StripeFailure {
  return new StripeFailure(404, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    message: `No such ${noun}: '${id}'`,
    param,
  })
}

function dashed(code: string): string {
  return code.replaceAll('_', '-')
}
