import * as z from 'zod/mini'
import { DISPLAY_NAME } from '../fields.ts'
import { RELATION_MAX } from '../limits.ts'
import { lineRule } from '../text-rules.ts'
import { letInMessages } from './let-in-messages.ts'
import { letInFamilyMessages } from './let-in-family-messages.ts'
import { emailAddress, text } from '../text.ts'

const RELATION_NEEDED = lineRule({ max: RELATION_MAX, required: letInMessages.relationRequired })

export const letInRequestInput = z.object({
  name: text(DISPLAY_NAME),
  /** How they knew the person. */
  relation: text(RELATION_NEEDED),
  email: emailAddress(),
})
export type LetInRequestInput = z.output<typeof letInRequestInput>

export const LET_IN_DECISIONS = ['LET_IN', 'NOT_NOW'] as const
export const letInDecisionInput = z.object({
  decision: z.enum(LET_IN_DECISIONS, letInFamilyMessages.notDecided),
})
export type LetInDecision = (typeof LET_IN_DECISIONS)[number]

/** Somebody who asks to be let in. `mayHurt`: a rule finds something in what they typed, which screens fold. */
export type LetInRequest = {
  id: string
  name: string
  relation: string
  email: string
  createdAt: string
  mayHurt?: true
}
