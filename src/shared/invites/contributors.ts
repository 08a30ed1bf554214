import * as z from 'zod/mini'
import type { AddedCounts } from '../removal/removed.ts'

export const contributorsQuery = z.object({ cursor: z.optional(z.string()) })

/** A person who gave a name. Two can have the same name: `joinedAt` tells them apart. */
export type ListedContributor = {
  id: string
  displayName: string
  joinedAt: string
  linkId: string
  /** They left words on the public page, without an invitation. */
  isVisitor?: true
  isBlocked?: true
  /** A rule finds something in the name, which screens fold. */
  mayNameHurt?: true
  added: AddedCounts
}
/**
 * An invitation link of the memorial, without its token. Instants; `revokedAt` is null for those that work. `isVisitors`: it stands for
 * the public page, since the first message left there.
 */
export type ListedLink = {
  id: string
  /** Of a link that the family made beside the first one. */
  name?: string
  assignedAt: string
  revokedAt: string | null
  isVisitors?: true
}
/** Who joined last comes first. A page can be shorter than others, because it leaves out who added nothing. */
export type ContributorPage = {
  contributors: ListedContributor[]
  /** The links that work, the first one first, then the public page, then ended links, newest first. Only on the first page, else empty. */
  links: ListedLink[]
  nextCursor: string | null
}
