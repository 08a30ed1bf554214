import * as z from 'zod/mini'
import { emailAddress } from '../text.ts'

/** Where mails about a memorial go, and when: when something was added, and on these days of each year. */
export const followInput = z.object({
  email: emailAddress(),
  news: z.optional(z.boolean()),
  birthday: z.optional(z.boolean()),
  passing: z.optional(z.boolean()),
})
export type FollowInput = z.output<typeof followInput>

/** How many people get mails about a memorial. */
export type FollowerCount = { count: number }
