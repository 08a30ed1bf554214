import {
  ALT_MAX,
  CAPTION_MAX,
  COMMENT_MAX,
  CONTACT_MESSAGE_MAX,
  CONTACT_SUBJECT_MAX,
  DISPLAY_NAME_MAX,
  PERSON_NAME_MAX,
  PRINTED_CODE_TYPED_MAX,
  RELATION_MAX,
} from './limits.ts'
import { messages } from './messages.ts'
import {
  CURRENT_PASSWORD,
  EMAIL_ADDRESS,
  lineRule,
  linesRule,
  linkToken,
  NEW_PASSWORD,
  type TextRule,
} from './text-rules.ts'

/** The fields of forms that visitors and contributors fill in. The Worker's schemas are made of the same rules. */
const PERSON_NAME = lineRule({ max: PERSON_NAME_MAX, required: messages.form.fillAll })

export const LOGIN_FIELDS = { email: EMAIL_ADDRESS, password: CURRENT_PASSWORD }
export const REGISTER_FIELDS = {
  email: EMAIL_ADDRESS,
  password: NEW_PASSWORD,
  firstName: PERSON_NAME,
  lastName: PERSON_NAME,
}
/** Somebody who may ask for a memorial after its owner. */
export const SUCCESSOR_FIELDS = { name: PERSON_NAME, email: EMAIL_ADDRESS }
export const VERIFY_FIELDS = {
  token: linkToken(messages.verify.invalid),
  password: NEW_PASSWORD,
  firstName: PERSON_NAME,
  lastName: PERSON_NAME,
}
export const RESET_FIELDS = { token: linkToken(messages.password.invalidToken), password: NEW_PASSWORD }
export const CHANGE_PASSWORD_FIELDS = { currentPassword: CURRENT_PASSWORD, newPassword: NEW_PASSWORD }
export const CHANGE_EMAIL_FIELDS = { email: EMAIL_ADDRESS, password: CURRENT_PASSWORD }
const PRINTED_CODE = lineRule({ max: PRINTED_CODE_TYPED_MAX, required: messages.form.fillAll })
export const PRINTED_CODE_FIELDS = { email: EMAIL_ADDRESS, code: PRINTED_CODE, password: NEW_PASSWORD }
export const EMAIL_LINK_FIELDS = { token: linkToken(messages.password.invalidToken) }
export const PERSON_FIELDS = { firstName: PERSON_NAME, lastName: PERSON_NAME }

export const CONTACT_FIELDS = {
  email: EMAIL_ADDRESS,
  subject: lineRule({
    max: CONTACT_SUBJECT_MAX,
    required: messages.contact.subjectRequired,
    tooLong: messages.contact.subjectTooLong,
  }),
  message: linesRule({
    max: CONTACT_MESSAGE_MAX,
    required: messages.contact.messageRequired,
    tooLong: messages.contact.messageTooLong,
  }),
}

export const COMMENT_BODY = linesRule({
  max: COMMENT_MAX,
  required: messages.comment.required,
  tooLong: messages.comment.tooLong,
})

/** The name that a contributor gives. */
export const DISPLAY_NAME: TextRule = withCondition(
  lineRule({ max: DISPLAY_NAME_MAX, required: messages.contributor.nameRequired }),
  (name) => !isOwnersMark(name),
  messages.contributor.nameOfOwner,
)

/** How a visitor knew the person; empty if they don't say. */
export const RELATION: TextRule = lineRule({ max: RELATION_MAX, tooLong: messages.visitors.relationTooLong })

function withCondition(rule: TextRule, holds: (text: string) => boolean, error: string): TextRule {
  return { ...rule, conditions: [...rule.conditions, { holds, error }] }
}

/** True for names that imitate "Memorial Owner", the label of the family's own comments. */
function isOwnersMark(name: string): boolean {
  const letters = name.normalize('NFKD').toLowerCase().replace(/\P{L}/gu, '')
  return letters.includes('memorialowner')
}

/** What is written to a photo, video or recording. */
export const CAPTION_FIELDS = { caption: lineRule({ max: CAPTION_MAX }), alt: lineRule({ max: ALT_MAX }) }
