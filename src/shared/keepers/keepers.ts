import * as z from 'zod/mini'
import { keeperMessages } from './keeper-messages.ts'
import { emailAddress } from '../text.ts'

/** What somebody may do who looks after a memorial with its owner: a keeper edits everything, a helper adds and approves. */
export const KEEPER_ROLES = ['KEEPER', 'HELPER'] as const
export type KeeperRole = (typeof KEEPER_ROLES)[number]

const role = z.enum(KEEPER_ROLES, keeperMessages.roleRequired)

/** What the owner gives somebody who looks after the memorial. A helper never exports. */
export const keeperRightsInput = z.object({
  role,
  /** A keeper may download everything with originals. */
  mayExport: z._default(z.boolean(), false),
})
export const keeperInviteInput = z.object({
  role,
  mayExport: z._default(z.boolean(), false),
  /** Where the link is mailed to; empty for a link to pass on. */
  email: z._default(z.union([z.literal(''), emailAddress()]), ''),
})
/** `keeperId`: the keeper who is to own the memorial. */
export const handoverInput = z.object({ keeperId: z.string() })
export type KeeperRights = { role: KeeperRole; mayExport: boolean }
export type KeeperInviteInput = z.output<typeof keeperInviteInput>

/** Somebody who looks after a memorial. Instants. */
export type Keeper = {
  role: KeeperRole
  mayExport: boolean
  id: string
  name: string
  /** For the owner only. */
  email?: string
  createdAt: string
  /** When they last opened the memorial; null before the first time. */
  seenAt: string | null
  isYou: boolean
}

/** An invitation to look after a memorial that nobody has accepted yet. */
export type KeeperInvite = {
  role: KeeperRole
  mayExport: boolean
  id: string
  /** Null for a link to pass on. */
  email: string | null
  createdAt: string
  expiresAt: string
}
/**
 * OFFERED: the owner offers the memorial to this keeper, who has until then to accept. TAKEN_OVER: this keeper owned it before, and can
 * take it back until then (an instant).
 */
export type Handover = {
  state: 'OFFERED' | 'TAKEN_OVER'
  name: string
  isYou: boolean
  until: string
}
/** `invites`: for the owner only. */
export type KeeperList = {
  owner: { name: string }
  keepers: Keeper[]
  invites: KeeperInvite[]
  handover: Handover | null
}
/** `link` is shown once: we don't store it. */
export type KeeperInviteMade = { invite: KeeperInvite; link: string | null }
/** What the link of an invitation opens. `invitedBy`: the owner's name. */
export type OpenedKeeperInvite = KeeperRights & {
  honoureeFullName: string
  invitedBy: string
  expiresAt: string
}
