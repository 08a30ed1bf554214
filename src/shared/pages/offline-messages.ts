/** Texts shown without a connection. Kept apart from `messages`, because the small scripts of written pages bundle them. */
export const offlineMessages = {
  line: 'You are offline. You can keep reading; what you write will be sent when the connection returns.',
  lineOfReader: 'You are offline. You can keep reading.',
  unsentForm: 'You are offline. Nothing was sent. What you typed is still here.',
  notLoaded: 'This did not load. Please try again. What you typed is still here.',
} as const

/** The page that the service worker shows instead of one that is not cached on this device. */
export const offlinePageMessages = {
  title: 'You are offline',
  text: 'This page needs a connection. Nothing is lost.',
  listTitle: 'You can read these now',
  tryAgain: 'Try again',
} as const
