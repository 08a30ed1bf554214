import { DISPLAY_NAME_MAX, GIFT_WORDS_MAX, THANKS_MAX } from '../limits.ts'
import { payLinkMessages } from './pay-link-messages.ts'
import { EMAIL_ADDRESS, lineRule, linesRule } from '../text-rules.ts'

/** Who pays with somebody else's link. */
export const PAYER_FIELDS = {
  name: lineRule({ max: DISPLAY_NAME_MAX, required: payLinkMessages.nameRequired }),
  email: EMAIL_ADDRESS,
}

/** A letter with a gift. Only the name is needed. */
export const GIFT_FIELDS = {
  fromName: PAYER_FIELDS.name,
  recipientName: lineRule({ max: DISPLAY_NAME_MAX }),
  words: linesRule({ max: GIFT_WORDS_MAX }),
}

export const THANKS = linesRule({ max: THANKS_MAX, required: payLinkMessages.thanksRequired })
