import * as z from 'zod/mini'
import { DISPLAY_NAME } from '../fields.ts'
import type { FuneralEvent } from '../funeral/funeral.ts'
import { REPLY_PEOPLE_MAX, REPLY_WORDS_MAX } from '../limits.ts'
import type { Privacy } from '../memorials/memorials.ts'
import { replyMessages } from '../funeral/gathering-messages.ts'
import { REPLY_ANSWERS, type ReplyAnswer } from './reply-answers.ts'
import { emailAddress, lines, text } from '../text.ts'

/** Who comes to a gathering, as they say. */
export const replyInput = z.object({
  answer: z.enum(REPLY_ANSWERS, replyMessages.answerRequired),
  /** How many they are; counts if they come. */
  people: z._default(
    z
      .int(replyMessages.peopleInvalid)
      .check(
        z.minimum(1, replyMessages.peopleInvalid),
        z.maximum(REPLY_PEOPLE_MAX, replyMessages.peopleInvalid),
      ),
    1,
  ),
  name: text(DISPLAY_NAME),
  /** Words to the family. */
  words: z._default(lines({ max: REPLY_WORDS_MAX, tooLong: replyMessages.wordsTooLong }), ''),
  /** Where changes are mailed to. */
  email: z._default(z.union([z.literal(''), emailAddress()]), ''),
  /** The words also become a message in the guestbook, where the sender may leave one. Counts when the reply is sent, not when it's changed. */
  inGuestbook: z._default(z.boolean(), false),
})
export const repliesQuery = z.object({ cursor: z.optional(z.string()) })

export type ReplyInput = z.output<typeof replyInput>

/** Instants. Only its sender and the family see it. */
export type Reply = {
  id: string
  eventId: string
  answer: ReplyAnswer
  people: number
  name: string
  words: string | null
  email: string | null
  createdAt: string
  updatedAt: string
}
/** Numbers of replies to a gathering by answer. */
export type ReplyCounts = {
  eventId: string
  coming: number
  afar: number
  sorry: number
  /** People who come. */
  people: number
  /** Replies with an address whose sender doesn't know the present time and place, and doesn't stay away anyway: so many mails. */
  toTell: number
  /** People who come, by those replies. */
  peopleToTell: number
  /** People who don't know it either, and gave no address. */
  withoutAddress: number
}
export type ReplyPage = { replies: Reply[]; nextCursor: string | null }
/** What the link of a mail opens. */
export type LinkedReply = {
  reply: Reply
  /** Null if the family shows it to invited people only by now, and its sender wasn't. */
  gathering: FuneralEvent | null
  memorial: { id: string; slug: string; honoureeFullName: string; privacy: Privacy }
}
