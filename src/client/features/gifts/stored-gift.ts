import { PAYER_PREFIX } from '#client/lib/browser/stored-text.ts'

/** Key of the letter of a gift that hasn't been paid for. Signing out deletes it with the payers. */
export const GIFT_LETTER = `${PAYER_PREFIX}letter`
/** Key of a gift's code that somebody hasn't redeemed yet, because they are making an account for it. */
export const GIFT_TO_OPEN = 'gift-to-open'
