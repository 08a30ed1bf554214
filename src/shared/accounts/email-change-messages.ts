/** What the server says about another mail address. */
export const emailChangeMessages = {
  sent: 'We’ve sent an email to each address. Please open the link in both within 24 hours, on any phone or computer. Your address changes once both are confirmed.',
  sentToNew:
    'We’ve sent an email to the new address. Please open the link in it within 24 hours: your address changes then.',
  wrongCode: 'This code isn’t right, or has been used',
  sameAddress: 'This is already your address',
  manyMails: 'There have been several requests for this address in the last hour. Please try again later.',
  invalid: 'This link has expired, or a newer request has replaced it. Nothing was changed.',
  notPossible:
    'The address can’t be changed: the new one has an account of its own by now, or your account is suspended.',
  undone:
    'Every device is signed out. We’ve sent a link to your old address: please choose a new password with it, within an hour.',
  undoInvalid:
    'This link has expired or is not complete. Please write to us if somebody else uses your account.',
  undoUsed: 'This change has already been undone.',
  undoNotPossible:
    'The old address has an account of its own by now, so this can’t be undone. Please write to us, and we will help.',
} as const
