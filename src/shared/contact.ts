import * as z from 'zod/mini'
import { CONTACT_MESSAGE_MAX, CONTACT_SUBJECT_MAX, EMAIL_MAX } from './limits.ts'
import { messages } from './messages.ts'
import { emailAddress, line, lines } from './text.ts'

export const contactInput = z.object({
  email: emailAddress(messages.contact.emailInvalid, EMAIL_MAX),
  subject: line({
    max: CONTACT_SUBJECT_MAX,
    required: messages.contact.subjectRequired,
    tooLong: messages.contact.subjectTooLong,
  }),
  message: lines({
    max: CONTACT_MESSAGE_MAX,
    required: messages.contact.messageRequired,
    tooLong: messages.contact.messageTooLong,
  }),
})
export type ContactInput = z.output<typeof contactInput>
