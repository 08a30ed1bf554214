/** What somebody may do who looks after a memorial with its owner: a keeper edits everything, a helper adds and approves. */
export const KEEPER_ROLES = ['KEEPER', 'HELPER'] as const
export type KeeperRole = (typeof KEEPER_ROLES)[number]
