/** Texts about a memorial that gets another owner. */
export const handoverMessages = {
  offer: (name: string) => `Hand over to ${name}`,
  offerTitle: (name: string) => `Hand the memorial over to ${name}?`,
  offerText: (name: string) =>
    `If ${name} accepts within seven days, the memorial is theirs: they can delete it, and they say who looks after it. You stay as a keeper, and can take it back for seven days. Your payment stays yours.`,
  notOffered: 'The memorial wasn’t offered',
  offered: (name: string, until: string) =>
    `You’ve offered the memorial to ${name}. They can accept until ${until}.`,
  offeredTo: (name: string, until: string) =>
    `The memorial was offered to ${name}, who can accept until ${until}.`,
  offeredToYou: (owner: string, until: string) =>
    `${owner} would like to hand the memorial over to you. You can accept until ${until}.`,
  takeOverText: (owner: string) =>
    `It would be yours: you’d say who looks after it, and only you could delete it. ${owner} stays as a keeper, and can take it back for seven days.`,
  offerButton: 'Offer it',
  withdraw: 'Take back the offer',
  acceptTitle: 'Take over this memorial?',
  isYoursAgain: 'The memorial is yours again.',
  offerEnded: 'The offer has ended. Nothing has changed.',
  accept: 'Yes, I’ll take it over',
  decline: 'No, thanks',
  takenOver: (name: string, until: string) =>
    `You’ve taken the memorial over from ${name}, who can take it back until ${until}. Until then you can’t delete it, remove ${name}, or hand it over again.`,
  takenOverFrom: (name: string, until: string) =>
    `The memorial was ${name}’s, who can take it back until ${until}.`,
  handedOver: (owner: string, until: string) =>
    `The memorial is ${owner}’s now. You can take it back until ${until}.`,
  takeBack: 'Take it back',
  leavingEndsIt: 'You can’t take the memorial back any more, either.',
  notDone: 'This didn’t work',
} as const
