/** Words for when there is no connection. Apart from the others, because the service worker carries them with it. */
export const offlineMessages = {
  line: 'You are offline. You can keep reading; what you write will be sent when the connection returns.',
  lineOfReader: 'You are offline. You can keep reading.',
  pageTitle: 'You are offline',
  pageText: 'This page needs a connection: it was not opened on this device before. Nothing is lost.',
  listTitle: 'You can read these now',
  tryAgain: 'Try again',
} as const
