import * as z from 'zod/mini'
import { DISPLAY_NAME } from '../fields.ts'
import { invitationMessages } from './invitation-messages.ts'
import { INVITATION_NAME } from './invitation-name.ts'
import type { LifeDates } from '../memorials/life-dates.ts'
import { PIN_DIGITS_MAX, PIN_DIGITS_MIN } from '../limits.ts'
import type { Privacy } from '../memorials/memorials.ts'
import { emailAddress, text } from '../text.ts'

export const contributorSessionInput = z.object({
  displayName: text(DISPLAY_NAME),
  /** The client sends it empty. */
  email: z.optional(z.union([z.literal(''), emailAddress()])),
  /** The digits that the invitation asks for. */
  pin: z.optional(
    z.string().check(withoutSpaces(), z.maxLength(PIN_DIGITS_MAX, invitationMessages.pinWrong)),
  ),
})
export type ContributorSessionInput = z.output<typeof contributorSessionInput>

const PIN = new RegExp(`^(?:[0-9]{${PIN_DIGITS_MIN},${PIN_DIGITS_MAX}})?$`, 'u')

/** People type digits as they read them. */
function withoutSpaces() {
  return z.overwrite<string>((digits) => digits.replaceAll(/[\s\p{Pd}]/gu, ''))
}

/** A further link of a memorial. */
export const invitationInput = z.object({
  name: text(INVITATION_NAME),
  /** When it stops letting people in; null: when the family ends it. */
  endsAt: z._default(z.nullable(z.iso.datetime(invitationMessages.endInvalid)), null),
  /** Empty for none. */
  pin: z._default(z.string().check(withoutSpaces(), z.regex(PIN, invitationMessages.pinInvalid)), ''),
})
export type InvitationInput = z.output<typeof invitationInput>

/** A link that lets people in. Instants. */
export type Invitation = {
  id: string
  /** Null for the first one. */
  name: string | null
  /** Null for the people who asked and were let in, each by a link of their own. */
  inviteLink: string | null
  createdAt: string
  /** When it stops, or has stopped, letting people in. */
  endsAt: string | null
  hasPin: boolean
  /** How many gave a name who came by it. */
  people: number
}

export type InviteCard = LifeDates & {
  id: string
  slug: string
  honoureeFullName: string
  title: string | null
  privacy: Privacy
  coverMediaId: string | null
  profileMediaId: string | null
}

export type TimedQuota = { max: number; used: number; maxDurationSec: number; usedDurationSec: number }
export type ContributorQuotas = {
  images: { max: number; used: number }
  video: TimedQuota
  audio: TimedQuota
}
/**
 * Whether this person left an address, by which they are known again on another phone. ASK: they have added something, and have neither left one nor
 * said no.
 */
export type AddressState = 'ASK' | 'KEPT' | 'NONE'
export type ContributorSession = {
  memorialId: string
  contributorId: string
  displayName: string
  address: AddressState
  authToken: string
  quotas: ContributorQuotas
}
