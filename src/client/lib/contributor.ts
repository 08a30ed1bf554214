import type { ContributorQuotas } from '#shared/invites/invites.ts'
import type { MEDIA_MAX_BYTES } from '#shared/limits.ts'

/** Ids of the controls that add something, for the invitation at the top of the page. */
export const ADD_CONTROLS = { photos: 'add-photos', voice: 'add-voice', words: 'add-words' } as const

/** Who adds something: the id of an account or contributor; null while only the server knows it. */
export type Author = { id: string | null }

/** The user of this screen, as far as adding to one memorial is concerned. Only cookies prove who it is. */
export type Contributor = {
  /** Of the session that this device stores; null if it stores none. */
  sessionId: string | null
  /** Whose drafts this device shows: the id of an account or contributor, or `guest`. */
  writerId: string
  /** Id that new comments get, as far as this page knows it. Pending comments of other authors are not shown. */
  authorId: string | null
  /** Invitation token to send with reads if no session does it. */
  invite: string | undefined
  /** Whose file size limits apply. */
  sender: keyof typeof MEDIA_MAX_BYTES
  /** The name that the family sees; null for an owner and for a guest who gave none yet. */
  displayName: string | null
  /** A guest's name on this device under an earlier invitation, which has ended; null if there was none. */
  formerName: string | null
  /** Quotas of this contributor and what is used; null if no quotas apply. */
  quotas: ContributorQuotas | null
  mayAdd: boolean
  /** May change the words of what they added and undo a removal; else they can only remove it. */
  mayChange: boolean
  /** A like needs an account or a contributor session. */
  mayLike: boolean
  /** Asks for a name if there is none yet. Resolves to null if the user cancels. */
  identify: () => Promise<Author | null>
  /** Asks for another name; null if it cannot be changed here. */
  changeName: (() => void) | null
  /** Call this after a failed write: it removes an expired session and tells the user. */
  onRefused: (error: unknown) => void
  /** Call this after something was added or removed, to recount the quotas. */
  refreshQuotas: () => void
}
