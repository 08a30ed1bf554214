/** Words about reports. Apart from the others, because screens without reports don't load them. */
export const reportMessages = {
  reasons: {
    HURTFUL: 'It hurts or insults somebody',
    ADVERTISING: 'It’s advertising',
    PRIVATE: 'It shows something private',
    UNTRUE: 'It isn’t true',
    OTHER: 'Something else',
  },
  thanksTitle: 'Thank you.',
  thanks: 'The family will look at it.',
  failedTitle: 'Your report wasn’t sent',
  own: 'You added this yourself. You can remove it instead.',
  ofKeeper: 'You look after this memorial, so you decide: keep it, or remove it.',
  tooMany: 'That’s a lot of reports. Please try again tomorrow, or write to us from the Contact page.',
  notFound: 'This has been removed, or somebody has decided about it already.',
  kept: 'Kept.',
  notKeptTitle: 'Not kept',
  settled: 'Settled.',
  emptyForAdmins: 'No report has waited for more than 7 days.',
} as const
