/** Words for when there is no connection. Apart from the others, because the service worker carries some of them with it. */
export const offlineMessages = {
  line: 'You are offline. You can keep reading; what you write will be sent when the connection returns.',
  lineOfReader: 'You are offline. You can keep reading.',
  waiting: 'Waiting for connection',
  cancel: 'Cancel',
  sentAlready: 'This message was posted already. You can delete it in the guestbook.',
  notPosted: 'Your message could not be posted',
  wordsKept: 'Your words are kept on this device, so that you can copy them.',
  unsentTitle: 'Words you wrote on this device',
  wordsCopied: 'Your words are copied',
} as const

/** The page that the service worker shows in place of one that is not kept on this device. */
export const offlinePageMessages = {
  title: 'You are offline',
  text: 'This page needs a connection. Nothing is lost.',
  listTitle: 'You can read these now',
  tryAgain: 'Try again',
} as const
