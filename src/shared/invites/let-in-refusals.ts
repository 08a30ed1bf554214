/** What the server says about asking to be let in. Apart from the other texts: no screen needs them. */
export const letInRefusals = {
  tooMany: 'There were too many requests from here. Please try again later.',
  gone: 'Somebody has decided about this already',
  isPrivate: 'Nobody can come in while the memorial is private. Please change it to Invite-only first.',
  tooManyLetIn: 'So many people were let in today. Please go on tomorrow.',
  peopleLetIn: 'People you let in',
  over: 'This link doesn’t work any more. Please ask the family for a new one.',
  choiceInvalid: 'Please choose who may ask',
} as const
