/** Texts for somebody who asks a family to be let in. */
export const letInMessages = {
  title: 'Ask the family to let you in',
  text: 'Tell the family who you are. If they let you in, you get an email with a link that is yours.',
  relationLabel: 'How did you know them?',
  relationRequired: 'Please say how you knew them',
  emailHint: 'The link goes there. Only the family sees your address.',
  refusedTitle: 'Your request wasn’t sent',
  asked:
    'Thank you. If this memorial takes requests, the family will see yours. Please give them time: when they let you in, you get an email.',
  askedTitle: 'Your request is on its way',
  openTitle: 'The family lets you in',
  openText: 'The link is yours. On another phone, open it there again; it then stops on this one.',
  openButton: 'Open the memorial',
  openFailed: 'The memorial wasn’t opened',
} as const
