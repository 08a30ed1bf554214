/** What gatherings and replies say on memorials. Apart from `messages.ts`, which every screen loads. */
export const gatheringMessages = {
  invitedOnly: 'Only people with an invitation see this gathering',
  // As Netflix gives it for low, standard and high definition: https://help.netflix.com/en/node/87
  watchingCosts:
    'An hour of video uses about 300 MB in low quality, 700 MB in standard and up to 3 GB in high quality. You can choose the quality there.',
} as const

export const replyMessages = {
  answerRequired: 'Please choose an answer',
  peopleInvalid: 'Please enter how many you are, from 1 to 20',
  wordsTooLong: 'Please use at most 500 characters',
  closed: 'This gathering takes no replies now',
  full: 'All places are taken',
  placesLeft: (places: number) =>
    places === 1 ? 'There is 1 place left' : `There are ${places} places left`,
  notFound: 'This reply was withdrawn already, or this browser can’t change it any longer',
  dayFull: 'Very many replies came today. Please try again tomorrow.',
  addressesFull:
    'Very many replies with an email address came from your network today. Please send yours without one, or try again tomorrow.',
  question: 'Are you coming?',
  choices: { COMING: 'I’m coming', AFAR: 'I’ll take part from afar', SORRY: 'I can’t come' },
  emailHint: 'If time or place changes, we’ll write to you. Only the family sees it.',
  refusedTitle: 'Your reply wasn’t sent',
  copyWords: 'You can copy your words from here:',
  isClosed: 'Replies are closed.',
  thanks: (name: string, people: number) => ({
    COMING: `Thank you, ${name}. The family knows that ${people === 1 ? 'you’re coming' : `${people} of you are coming`}.`,
    AFAR: `Thank you, ${name}. The family knows that you’ll take part from afar.`,
    SORRY: `Thank you, ${name}. The family knows that you can’t come.`,
  }),
  /** What a reply says, after its sender's name. */
  said: (people: number) => ({
    COMING: people === 1 ? 'coming' : `${people} people coming`,
    AFAR: 'taking part from afar',
    SORRY: 'can’t come',
  }),
  received: 'Thank you. Your reply reached the family.',
  mailed: 'We’ve sent it to you by email, with a calendar file.',
  inGuestbook: 'We’ve put your words into the guestbook, too. The family may read them first.',
  notInGuestbook: 'Your words couldn’t go into the guestbook. The family reads them with your reply.',
  noCookie: 'This browser doesn’t keep cookies, so you can’t change it here.',
  changed: 'Your reply is changed',
  moved: 'This link has ended. If you gave another address, we’ve sent a new link there.',
  withdrawn: 'Your reply is withdrawn',
  notWithdrawn: 'Your reply wasn’t withdrawn',
  withdrawText: 'The family won’t see it any longer, and you get no emails about it.',
  none: 'Nothing was sent from this browser yet.',
  linkOver: 'This link no longer works',
  linkOverText:
    'The reply was withdrawn, or has another email address by now. If the family’s page is open to you, you can reply again there.',
} as const
