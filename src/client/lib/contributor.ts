import type { ContributorQuotas } from '#shared/invites.ts'
import type { MEDIA_MAX_BYTES } from '#shared/limits.ts'

/** Headers that show who is writing: a contributor's token, or nothing where the cookies say it all. */
export type IdentityHeaders = Record<string, string>

/** The person at this screen, as far as adding to one memorial is concerned. */
export type Contributor = {
  headers: IdentityHeaders
  /** The invitation to show with what is read, where no session does it. */
  invite: string | undefined
  /** Whose file limits hold. */
  sender: keyof typeof MEDIA_MAX_BYTES
  /** The name the family sees; null for an owner and for a guest who has not said it yet. */
  displayName: string | null
  /** What this contributor may add and has added; null where no such limits hold. */
  quotas: ContributorQuotas | null
  mayAdd: boolean
  /** Asks for a name where there is none yet. Answers the headers to write with, or null when the person went back. */
  identify: () => Promise<IdentityHeaders | null>
  /** Asks for another name; null where it cannot be changed here. */
  changeName: (() => void) | null
  /** To be told of a failed write: a session that has ended is put away and said so. */
  onRefused: (error: unknown) => void
  /** After something was added or removed: counts what is left anew. */
  refreshQuotas: () => void
}
