import * as z from 'zod/mini'
import { SUCCESSOR_FIELDS } from '../fields.ts'
import { SUCCESSION_MONTHS } from '../limits.ts'
import { successorMessages } from './successor-messages.ts'
import { texts } from '../text.ts'

export type SuccessionMonths = (typeof SUCCESSION_MONTHS)[number]

export const successorInput = z.object({
  ...texts(SUCCESSOR_FIELDS),
  /** Mails them that they were named. */
  tell: z._default(z.boolean(), false),
})
export const successionInput = z.object({
  afterMonths: z.literal(SUCCESSION_MONTHS, successorMessages.monthsRequired),
})
export type SuccessorInput = z.output<typeof successorInput>

/** Somebody who may ask for a memorial after its owner. */
export type Successor = { id: string; name: string; email: string; createdAt: string }
/** Who may ask for a memorial, and after how many months without its owner we ask. */
export type Succession = { afterMonths: SuccessionMonths; successors: Successor[] }

/** What a named person may claim now: null for everybody else, and until then. `ownerName`: whose it was. */
export type Claimable = { memorial: { honoureeFullName: string; ownerName: string } | null }

/** A memorial whose owner is asked whether they're there. Instants; `openSince`: since when its successors may claim. */
export type SuccessionCase = {
  memorial: { id: string; honoureeFullName: string }
  ownerEmail: string
  successors: { name: string; email: string }[]
  /** A successor asked; else the owner hasn't been here for the time that they chose. */
  isAskedFor: boolean
  askingSince: string
  mailsSent: number
  openSince: string | null
  heldSince: string | null
}
export type SuccessionCasePage = { cases: SuccessionCase[]; nextCursor: string | null }
