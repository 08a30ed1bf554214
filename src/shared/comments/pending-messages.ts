/** Texts of a message that waits for a connection on this device, or was refused after that. */
export const pendingMessages = {
  waiting: 'Waiting for connection',
  cancel: 'Cancel',
  sentAlready: 'This message was posted already. You can delete it in the guestbook.',
  notPosted: 'Your message could not be posted',
  wordsKept: 'Your words are kept on this device, so that you can copy them.',
  unsentTitle: 'Words you wrote on this device',
  wordsCopied: 'Your words are copied',
} as const
