import type { ReplyAnswer } from './reply-answers.ts'

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
  tell: (people: number) =>
    people === 1 ? 'Tell the one who is coming?' : `Tell the ${people} who are coming?`,
  tellAfar: (replies: number) =>
    replies === 1 ? 'Tell the one who takes part from afar?' : `Tell the ${replies} who take part from afar?`,
  tellText: (emails: number) =>
    `They don’t know of your change yet. Everyone who takes part and gave an address gets one email${emails === 1 ? '' : `: ${emails} in all`}.`,
  told: (emails: number) =>
    emails === 0
      ? 'They’ve been told already.'
      : `We’re sending ${emails === 1 ? '1 email' : `${emails} emails`}.`,
  unaware: (people: number) =>
    people === 1 ? 'One person doesn’t know of your change' : `${people} people don’t know of your change`,
  withoutAddress: (people: number) =>
    `${people} gave no email address. Please tell ${people === 1 ? 'that person' : 'them'} yourselves.`,
  toldByFamily: 'We won’t ask about this change again.',
  tellFailed: 'They weren’t told',
  removeTitle: (name: string) => `Remove the reply of ${name}?`,
  removeText: (answer: ReplyAnswer) =>
    `It goes for good${answer === 'COMING' ? ', and their place is free again' : ''}. They aren’t told.`,
  removeFailed: 'The reply wasn’t removed',
  listFailed: 'The replies could not be loaded',
  moreFailed: 'More could not be loaded',
  noReplies: 'Nobody has replied yet.',
  privateNote: 'Visitors don’t see these. They’re deleted 90 days after the gathering, unless you keep them.',
  answers: { COMING: 'Coming', AFAR: 'Taking part from afar', SORRY: 'Can’t come' },
  /** Of the file for spreadsheets. */
  fileColumns: ['Name', 'Answer', 'People', 'Email', 'Words', 'Sent (UTC)'],
} as const
