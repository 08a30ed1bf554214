import { PRICE_TEXT } from '../limits.ts'

export const payLinkMessages = {
  notFound: 'This link is not complete, or it has been replaced by a new one. Please ask for it again.',
  ended: 'This link has ended. Please ask for a new one.',
  paid: 'This has been paid for already. Nothing was charged.',
  nameRequired: 'Please enter your name',
  thanksRequired: 'Please write a few words',
  thanked: 'Your thanks are on their way.',
  notThanked: 'You can thank somebody who has paid for you, once.',
  codeInvalid: 'Please enter the code from the letter: four groups of four characters',
  codeUnknown: 'We don’t know this code. Please look at the letter again.',
  codeUsed: 'This gift has been used. Nobody else can use it.',
  codeEnded: 'This gift can’t be used any more. Please write to us, and we will help.',
  codeUnpaid: 'This gift hasn’t been paid for yet.',
  giftUsed: 'This gift has been used, so it can’t be refunded',
} as const

/** What a link that was sent around says, for the page and for chats: `Tapiwa asks you to give Gogo Moyo’s memorial: US$60, once`. */
export function askText(fromName: string, honouree: string | null): string {
  const memorial = honouree === null ? 'pay for a memorial' : `give ${honouree}’s memorial`
  return `${fromName} asks you to ${memorial}: US${PRICE_TEXT}, once`
}
