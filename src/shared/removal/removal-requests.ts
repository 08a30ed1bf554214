import { REMOVAL_REQUEST_MEMORIAL_MAX, REMOVAL_REQUEST_WHAT_MAX } from '../limits.ts'
import { messages } from '../messages.ts'
import { cleanFields, EMAIL_ADDRESS, lineRule, linesRule, oneOf } from '../text-rules.ts'

/** Why somebody asks us to remove something, as the form offers it. */
export const REMOVAL_REASONS = ['I added it', 'It shows me', 'Something is wrong or hurts'] as const

/** The form for people without a session who ask us to remove something. */
export const REMOVAL_REQUEST_FIELDS = {
  email: EMAIL_ADDRESS,
  /** The address of a memorial, or the name on it. Nobody learns whether it exists. */
  memorial: lineRule({
    max: REMOVAL_REQUEST_MEMORIAL_MAX,
    required: messages.contact.memorialRequired,
    tooLong: messages.contact.memorialTooLong,
  }),
  /** Empty if the person doesn't say. */
  reason: oneOf(['', ...REMOVAL_REASONS], messages.form.checkFields),
  what: linesRule({
    max: REMOVAL_REQUEST_WHAT_MAX,
    required: messages.contact.whatRequired,
    tooLong: messages.contact.whatTooLong,
  }),
}

/** The request as a message of the contact form, with its limits and its way to support. */
export function toContactMessage(request: Record<keyof typeof REMOVAL_REQUEST_FIELDS, string>) {
  const { email, memorial, reason, what } = cleanFields(REMOVAL_REQUEST_FIELDS, request)
  const message = [`Memorial: ${memorial}`, ...(reason ? [`Reason: ${reason}`] : []), '', what].join('\n')
  return { email, subject: 'Please remove something', message }
}
