/** Texts about what becomes of somebody's memorials when they delete their account. */
export const leavingMessages = {
  whatBecomes: (name: string) => `What becomes of the memorial of ${name}?`,
  giveTo: (name: string) => `${name} gets it, at once`,
  deleteToo: 'It’s deleted with my account',
  givenStays:
    'Whoever gets a memorial keeps it. If you come back, you look after it as a keeper. We tell them by email.',
  chooseFirst: 'Please choose what becomes of each memorial that others look after with you',
  choiceGone: 'Who looks after your memorials has just changed. Please look again. Nothing was deleted.',
} as const
