import * as z from 'zod/mini'

/** What admins and those who look after a memorial do to it, noted of both under one name. */
export const CHANGES_OF_MEMORIAL = [
  'edit_memorial',
  'change_privacy',
  'edit_funeral',
  'edit_location',
  'edit_media',
  'delete_media',
  'delete_comment',
  'restore_removed',
  'delete_removed',
  'show_held',
  'decline_held',
  'undo_held',
  'block_contributor',
  'unblock_contributor',
  'keep_reported',
  'thank_message',
  'remove_added',
  'restore_added',
  'delete_added',
  'rotate_invite_link',
  'add_invitation',
  'end_invitation',
  'let_in',
  'not_let_in',
  'restore_memorial',
  'hold_succession',
  'release_succession',
] as const

export type ChangeOfMemorial = (typeof CHANGES_OF_MEMORIAL)[number]

const FAMILY_ONLY = [
  'add_media',
  'add_message',
  'invite_keeper',
  'revoke_keeper_invite',
  'become_keeper',
  'change_keeper',
  'remove_keeper',
  'stop_keeping',
  'offer_handover',
  'withdraw_handover',
  'decline_handover',
  'accept_handover',
  'take_back_handover',
  'leave_to_keeper',
  'name_successor',
  'remove_successor',
  'change_succession',
  'ask_for_memorial',
  'ask_owner',
  'owner_is_there',
  'open_succession',
  'claim_memorial',
] as const
/** What is noted of those who look after a memorial. Its type is written apart: the generator of the API's schemas can't read a spread. */
export const FAMILY_ACTIONS = [...CHANGES_OF_MEMORIAL, ...FAMILY_ONLY] as const
export type FamilyAction = ChangeOfMemorial | (typeof FAMILY_ONLY)[number]

export const familyActionsQuery = z.object({ cursor: z.optional(z.string()) })

/** What one person did on one day (UTC), and how often. `name`: null for what the service or an admin did, and once an account is deleted. `at`: the last time, an instant. */
export type FamilyActionEntry = {
  id: string
  name: string | null
  action: FamilyAction
  times: number
  at: string
}
export type FamilyActionPage = { entries: FamilyActionEntry[]; nextCursor: string | null }
