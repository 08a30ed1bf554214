import * as z from 'zod/mini'
import { DISPLAY_NAME } from './fields.ts'
import type { LifeDates } from './life-dates.ts'
import type { Privacy } from './memorials.ts'
import { emailAddress, text } from './text.ts'

export const contributorSessionInput = z.object({
  displayName: text(DISPLAY_NAME),
  /** The client sends it empty. */
  email: z.optional(z.union([z.literal(''), emailAddress()])),
})
export type ContributorSessionInput = z.output<typeof contributorSessionInput>

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
