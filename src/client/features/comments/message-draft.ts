import { useState } from 'react'
import { keepMessageDraft, readMessageDraft } from '#client/lib/offline/message-drafts.ts'

/** A message being written: kept on this device for who writes it until it is posted. */
export function useMessageDraft(
  memorialId: string,
  writerId: string,
): [text: string, setText: (text: string) => void] {
  const [draft, setDraft] = useState(() => ({ writerId, text: readMessageDraft(writerId, memorialId) }))
  // Another person, or the same under a name: their own words, and what was typed on this page.
  const isSame = draft.writerId === writerId
  const text = isSame ? draft.text : readMessageDraft(writerId, memorialId)
  if (!isSame) setDraft({ writerId, text })
  return [
    text,
    (next) => {
      keepMessageDraft(writerId, memorialId, next)
      setDraft({ writerId, text: next })
    },
  ]
}
