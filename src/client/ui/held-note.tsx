import { QUEUE } from '#shared/pages/pages.ts'
import { messages } from '#shared/messages.ts'

/** Element id of the list where approvers show or decline what is held. */
export const WAITING = QUEUE.slice(1)

/**
 * With a held item: why others don't see it yet, for its contributor or for the family. `isOnPage`: with a link to the list,
 * not over it like the photo viewer.
 */
export function HeldNote({
  sender,
  isOnPage = false,
}: {
  sender: 'owner' | 'contributor'
  isOnPage?: boolean
}) {
  if (sender !== 'owner') return <p className="small-muted">{messages.removed.held}</p>
  return (
    <p className="small-muted">
      {messages.removed.heldOfOthers} {isOnPage && <a href={`#${WAITING}`}>Show or decline it</a>}
    </p>
  )
}
