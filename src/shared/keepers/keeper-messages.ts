import type { KeeperRole } from './keepers.ts'

/** Texts about those who look after a memorial with its owner. */
export const keeperMessages = {
  roles: { KEEPER: 'Keeper', HELPER: 'Helper' },
  /** What somebody may do, said to them. */
  may: {
    KEEPER:
      'You can change everything on the page, decide about what people send, and invite relatives. You can’t delete the memorial, see payments or say who looks after it.',
    HELPER:
      'You can add photos, videos and words, and decide about what people send. You can’t change what others wrote.',
  } satisfies Record<KeeperRole, string>,
  /** The same, said to the owner. */
  mayShort: {
    KEEPER: 'Changes everything on the page, decides about what people send, and invites relatives.',
    HELPER: 'Adds photos and words, and decides about what people send.',
  } satisfies Record<KeeperRole, string>,
  title: 'Who looks after this memorial',
  intro:
    'They sign in with their own account. The memorial stays yours: only you can delete it, see payments, or say who looks after it.',
  ownedBy: (name: string) => `The memorial is ${name}’s. They say who looks after it.`,
  noneYet: 'Nobody but you looks after it yet.',
  neverSeen: 'not here yet',
  listFailed: 'The list could not be loaded',
  mayExport: 'May download everything',
  mayExportHint: 'With all photos and videos in full size.',
  notChanged: 'This wasn’t changed',
  removeTitle: (name: string) => `Remove ${name}?`,
  removeText:
    'They can’t open it for the family any longer, at once and on all their devices. What they added stays.',
  notRemoved: 'This didn’t work',
  leave: 'Stop looking after it',
  leaveTitle: 'Stop looking after this memorial?',
  leaveText: 'Only the owner can invite you again. What you added stays.',
  notRevoked: 'The invitation wasn’t taken back',
  inviteTitle: 'Invite somebody',
  emailHint: 'We send them the invitation. Without an address, you get a link to pass on.',
  notInvited: 'The invitation wasn’t made',
  linkOnce: 'Send them this link now: we can’t show it again. It works once, for seven days.',
  mailed: (email: string) => `We’ve sent the invitation to ${email}. It works once, for seven days.`,
  asks: (name: string) => `Please help me look after the memorial of ${name}`,
  invitedTitle: (name: string) => `Help look after the memorial of ${name}`,
  invitedBy: (name: string, role: KeeperRole) =>
    `${name} asks you to look after it with them, as a ${role === 'KEEPER' ? 'keeper' : 'helper'}.`,
  youMayExport: 'You can also download everything, with all photos and videos in full size.',
  notAccepted: 'This didn’t work',
  needsAccount:
    'You need an account of your own, so that the family knows who does what. You come back here afterwards.',
  overTitle: 'This invitation doesn’t work any more',
  tooMany: 'At most 20 people can look after a memorial',
  tooManyInvites: 'At most 20 invitations can be open. Please take one back first.',
  inviteOver: 'This invitation was used already, taken back, or is older than 7 days',
  isOwner: 'This memorial is yours already',
  isKeeper: 'You look after this memorial already',
  notFound: 'This person could not be found',
  inviteNotFound: 'This invitation could not be found',
  unpaid: 'We send such invitations once the memorial is paid for. Until then, you can make a link.',
  roleRequired: 'Please choose what they may do',
} as const
