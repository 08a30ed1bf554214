/** Words about emails for people who follow a memorial. Apart, because few screens say them. */
export const followMessages = {
  title: 'Emails about this memorial',
  text: 'We’ll write to you when something is added, or on the days that you choose. Nothing else, and you can stop it with one click in every email.',
  hint: 'Nobody sees your address, not even the family. We’ll first send you an email to confirm it.',
  what: 'When should we write?',
  news: 'When something is added, at most once a week',
  birthday: (day: string) => `On the birthday, ${day}`,
  passing: (day: string) => `On the day of passing, ${day}`,
  send: 'Send me the email to confirm',
  chooseOne: 'Please choose at least one',
  /** The same whether or not an email was sent. */
  asked:
    'We’ve sent you an email. Please press the button in it within seven days: only then will we write to you.',
  askedText: 'It can take a few minutes. Please look among the unwanted emails, too.',
  manyAsks: 'Many people have asked for these emails just now. Please try again in an hour.',
  refusedTitle: 'That didn’t work',
  /** For whoever looks after the memorial. */
  family: 'You look after this memorial, so it tells you what is new whenever you open it.',
  count: (people: number) =>
    people === 0
      ? 'Nobody gets emails about it yet.'
      : `${people === 1 ? '1 person gets' : `${people} people get`} emails about it. Only they know who they are.`,
  confirm: {
    title: 'Get these emails?',
    text: 'Press the button, and we’ll write to you about this memorial as you chose.',
    button: 'Yes, write to me',
    doneTitle: 'We’ll write to you',
    doneText: 'You can stop these emails at any time, with the link in each of them.',
    overTitle: 'This link doesn’t work any more',
    overText: 'It works for seven days. Open the memorial, and ask for the emails again.',
  },
  end: {
    title: 'Stop these emails?',
    text: 'We’ll no longer write to you about this memorial, and forget your address.',
    button: 'Stop these emails',
    doneTitle: 'We’ve stopped these emails',
    doneText: 'We won’t write to you about this memorial any longer, and have forgotten your address.',
  },
} as const
