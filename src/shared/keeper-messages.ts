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
