/** Words about what waits for the family. Apart from the others, because only editors' screens load them. */
export const heldMessages = {
  declined: 'Declined.',
  notDeclinedTitle: 'Not declined',
  changed: 'It has changed since you opened this list. Please look again.',
  undone: 'Undone. It waits for you again.',
  notUndoneTitle: 'Not undone',
  blocked: 'Blocked.',
  unblocked: 'Unblocked.',
  notBlockedTitle: 'That didn’t work',
  /** Headings over what each rule holds. */
  reasons: {
    WORDS: 'Hurtful words or advertising',
    LINK: 'Links',
    CONTACT: 'Phone numbers or addresses',
    SHOUTING: 'Shouting',
    REPEATED: 'The same words in many memorials',
    BURST: 'Many at once',
    DEVICE: 'From a phone like one you blocked',
    REPORTS: 'Reported by people',
  },
} as const
