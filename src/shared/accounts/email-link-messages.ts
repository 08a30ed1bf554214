/** Words of the two screens behind mailed links about another address. Apart from the others, because only they load them. */
export const emailLinkMessages = {
  confirmTitle: 'Confirm this email address?',
  confirmText:
    'Somebody asked for the email address of an account to change, and this address is one of the two. It changes once both have confirmed. If it wasn’t you, close this page.',
  confirmButton: 'Confirm this address',
  waitingTitle: 'This address is confirmed',
  waitingText: 'Please open the link in the email to the other address, too. Then the address changes.',
  changedTitle: 'Your email address is changed',
  changedText:
    'Please sign in with the new address from now on. The old address got an email by which this can be undone for 7 days.',
  deadTitle: 'This link no longer works',
  undoTitle: 'Undo the change of address?',
  undoText:
    'Your old address becomes the address of your account again, every device is signed out, and you choose a new password.',
  undoButton: 'Undo the change',
  undoneTitle: 'Your address is back',
  undoneText:
    'Every device is signed out. We’ve sent a link to your old address: please choose a new password with it, within an hour.',
} as const
