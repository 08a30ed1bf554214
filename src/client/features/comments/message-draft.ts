import { useState } from 'react'
import { storeMessageDraft, readMessageDraft } from '#client/lib/offline/message-drafts.ts'

/** The draft of a comment, stored on this device for its author until it is posted. */
export function useMessageDraft(
  memorialId: string,
  writerId: string,
): [text: string, setText: (text: string) => void] {
  const [draft, setDraft] = useState(() => ({ writerId, text: readMessageDraft(writerId, memorialId) }))
  // The author changed or gave a name: load their draft, or keep what was typed on this page.
  const isSame = draft.writerId === writerId
  const text = isSame ? draft.text : readMessageDraft(writerId, memorialId)
  if (!isSame) setDraft({ writerId, text })
  return [
    text,
    (next) => {
      storeMessageDraft(writerId, memorialId, next)
      setDraft({ writerId, text: next })
    },
  ]
}
