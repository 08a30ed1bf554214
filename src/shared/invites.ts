import * as z from 'zod/mini'
import type { LifeDates } from './life-dates.ts'
import { DISPLAY_NAME_MAX } from './limits.ts'
import type { Privacy } from './memorials.ts'
import { messages } from './messages.ts'
import { emailAddress, line } from './text.ts'

/** True for names that imitate "Memorial Owner", the label of the family's own comments. */
function isOwnersMark(name: string): boolean {
  const letters = name.normalize('NFKD').toLowerCase().replace(/\P{L}/gu, '')
  return letters.includes('memorialowner')
}

export const contributorSessionInput = z.object({
  displayName: line({ max: DISPLAY_NAME_MAX, required: messages.contributor.nameRequired }).check(
    z.refine((name) => !isOwnersMark(name), { error: messages.contributor.nameOfOwner }),
  ),
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
export type ContributorSession = {
  memorialId: string
  contributorId: string
  displayName: string
  authToken: string
  quotas: ContributorQuotas
}
