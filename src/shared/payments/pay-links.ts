import * as z from 'zod/mini'
import { GIFT_FIELDS, PAYER_FIELDS, THANKS } from './pay-link-fields.ts'
import { mobileRequest } from './local-payment-inputs.ts'
import { payLinkMessages } from './pay-link-messages.ts'
import { text, texts } from '../text.ts'

/** `isNew` replaces a link that is still open. */
export const askToPayInput = z.object({
  memorialId: z.optional(z.nullable(z.string())),
  showsMemorial: z.boolean(),
  isNew: z.optional(z.boolean()),
})
export const payLinkQuery = z.object({ memorialId: z.optional(z.string()) })
/** Who pays. The address gets the receipt; the family sees the name. */
export const payerInput = z.object(texts(PAYER_FIELDS))
export const payerByPhoneInput = z.object({ ...texts(PAYER_FIELDS), ...mobileRequest })
export const giftInput = z.object(texts(GIFT_FIELDS))
export const thanksInput = z.object({ words: text(THANKS) })
export const redeemInput = z.object({
  code: z.string(payLinkMessages.codeInvalid).check(z.maxLength(60, payLinkMessages.codeInvalid)),
})

/** What an account sends around, so that somebody else pays for its order. */
export type PayLink = {
  token: string
  /** The page for the payer. */
  url: string
  showsMemorial: boolean
  /** Ready for a chat, without the address. */
  text: string
  expiresAt: string
}

/** OPEN: it can be paid. ENDED: nobody paid in time, or there is nothing to pay for any more. */
export type PayLinkStatus = 'OPEN' | 'PAID' | 'ENDED'

/** What anybody with the link sees. */
export type PayLinkView = {
  status: PayLinkStatus
  fromName: string
  /** US cents. */
  amount: number
  currency: string
  expiresAt: string
  /** The name of the person who died, and whether there is a portrait; null unless the owner shows it. */
  memorial: { honoureeFullName: string; hasPortrait: boolean } | null
  /** Set for a gift. */
  gift: GiftLetter | null
}

/** UNPAID: not paid yet, or given back. */
export type GiftStatus = 'UNPAID' | 'READY' | 'REDEEMED' | 'ENDED'

/** What is on the letter. */
export type Gift = {
  status: GiftStatus
  fromName: string
  recipientName: string | null
  words: string | null
  /** Until then somebody can redeem it; null until it is paid. */
  expiresAt: string | null
  /** The caller has redeemed it. */
  isYours?: true
}
/** For the giver. `code` is null until it is paid. */
export type GiftLetter = Gift & { code: string | null; redeemUrl: string | null }
