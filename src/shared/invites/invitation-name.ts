import { invitationMessages } from './invitation-messages.ts'
import { INVITATION_NAME_MAX } from '../limits.ts'
import { lineRule, type TextRule } from '../text-rules.ts'

/** What the family calls one of several invitation links. Not among the fields that every screen loads. */
export const INVITATION_NAME: TextRule = lineRule({
  max: INVITATION_NAME_MAX,
  required: invitationMessages.nameRequired,
})
