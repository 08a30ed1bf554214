export const sessionMessages = {
  notFound: 'That device has already been signed out.',
  ended: 'That device is signed out.',
  othersEnded: 'Every other device is signed out.',
  notEndedTitle: 'Nothing was signed out',
  notLoadedTitle: 'We can’t show the list right now',
} as const
