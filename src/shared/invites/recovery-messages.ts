/** Sentences about being known again on another phone. Apart, because few screens say them. */
export const recoveryMessages = {
  title: 'On another phone',
  /** The same whether or not somebody is found. */
  asked: 'If somebody with this address has added something here, we’ve sent a code.',
  askedText:
    'It can take a few minutes. Please look among the unwanted emails, too. The code works in this browser only.',
  askTitle: 'I’ve added something before',
  askText:
    'If you left an email address then, we’ll send a code to it. With the code, this phone knows you again: your name, what you added, and what you can still add.',
  oneAtATime: 'You can be known on one phone at a time. The other one can come back in the same way.',
  noAddress:
    'You left no address? Then add under your name as before. What you added earlier stays on the page.',
  choose: 'Several people left this address. Who are you?',
  known: (name: string) => `Welcome back, ${name}. This phone knows you again.`,
  addressTitle: 'Your email address',
  addressHint: 'The family won’t see it. We’ll use it for nothing else.',
  addressText:
    'If you leave an address, you can go on from another phone: it knows you again by a code in an email.',
  kept: 'We’ve kept your address. On another phone, open the family’s invitation and choose “I’ve added something before”.',
  isKept: 'We keep an email address for you. If it changes, write the new one here.',
  gone: 'We’ve deleted your address.',
  refusedTitle: 'That didn’t work',
  manyCodes: 'Many codes were asked for. Please try again in an hour.',
  codeInvalid: 'Please enter the six digits from the email',
  /** The same for a wrong, an old and a used code. */
  codeWrong: 'That code isn’t right, or it has ended. Look in the newest email, or ask for another code.',
  guestFirst: 'Please add something first',
} as const
