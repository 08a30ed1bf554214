/** Why a change of owner, or what can't be undone after it, is refused. Apart from the other texts: only the server needs them. */
export const handoverRefusals = {
  notYet: 'Its former owner can still take this memorial back. Until then, nothing can be deleted for good.',
  staysUntil: 'This person can still take the memorial back. Until then, they can’t be removed.',
  accountLater:
    'Somebody can still take back a memorial that you’ve just taken over. Until then, your account can’t be deleted.',
  onlyKeepers: 'A memorial can only be handed over to a keeper',
  offeredAlready: 'The memorial is offered to somebody already',
  justTakenOver:
    'You’ve just taken this memorial over. It can be handed over again once it can’t be taken back any more.',
  unpaid: 'A memorial can be handed over once it is paid for',
  over: 'This offer isn’t open any more',
  takeBackOver: 'This memorial can’t be taken back any more',
} as const
