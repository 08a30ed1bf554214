import type { ReplyAnswer } from './reply-answers.ts'

/** What editors read of replies. Apart from `gathering-messages.ts`, which every memorial loads. */
export const replyListMessages = {
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
