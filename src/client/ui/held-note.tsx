import { messages } from '#shared/messages.ts'

/** With a held item: why others don't see it yet, for its contributor or for the family. */
export function HeldNote({ sender }: { sender: 'owner' | 'contributor' }) {
  return (
    <p className="small-muted">
      {sender === 'owner' ? messages.removed.heldOfOthers : messages.removed.held}
    </p>
  )
}
