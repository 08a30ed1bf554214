/** Texts shown without a connection. Kept apart from `messages`, because the service worker bundles some of them. */
export const offlineMessages = {
  line: 'You are offline. You can keep reading; what you write will be sent when the connection returns.',
  lineOfReader: 'You are offline. You can keep reading.',
  unsentForm: 'You are offline. Nothing was sent. What you typed is still here.',
  notLoaded: 'This did not load. Please try again. What you typed is still here.',
  waiting: 'Waiting for connection',
  cancel: 'Cancel',
  sentAlready: 'This message was posted already. You can delete it in the guestbook.',
  notPosted: 'Your message could not be posted',
  wordsKept: 'Your words are kept on this device, so that you can copy them.',
  unsentTitle: 'Words you wrote on this device',
  wordsCopied: 'Your words are copied',
} as const

/** The page that the service worker shows instead of one that is not cached on this device. */
export const offlinePageMessages = {
  title: 'You are offline',
  text: 'This page needs a connection. Nothing is lost.',
  listTitle: 'You can read these now',
  tryAgain: 'Try again',
} as const
