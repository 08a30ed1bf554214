import type { ContributorQuotas } from '#shared/invites.ts'
import type { MEDIA_MAX_BYTES } from '#shared/limits.ts'

/** Under whose id something is added: an account's or a contributor's; null while only the server knows. */
export type Author = { id: string | null }

/** The person at this screen, as far as adding to one memorial is concerned. Who they are is told by cookies alone. */
export type Contributor = {
  /** Whose begun words on this device are shown: an account's or a contributor's id, or `guest`. */
  writerId: string
  /** Under whose id a message of theirs is written, as far as this page knows: what waits of others is not shown to them. */
  authorId: string | null
  /** The invitation to show with what is read, where no session does it. */
  invite: string | undefined
  /** Whose file limits hold. */
  sender: keyof typeof MEDIA_MAX_BYTES
  /** The name the family sees; null for an owner and for a guest who has not said it yet. */
  displayName: string | null
  /** What this contributor may add and has added; null where no such limits hold. */
  quotas: ContributorQuotas | null
  mayAdd: boolean
  /** Asks for a name where there is none yet. Answers null when the person went back. */
  identify: () => Promise<Author | null>
  /** Asks for another name; null where it cannot be changed here. */
  changeName: (() => void) | null
  /** To be told of a failed write: a session that has ended is put away and said so. */
  onRefused: (error: unknown) => void
  /** After something was added or removed: counts what is left anew. */
  refreshQuotas: () => void
}
