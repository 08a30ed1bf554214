import { useCallback, useState } from 'react'
import { useSession } from '#client/lib/session.ts'
import { readText, removeText, writeText } from '#client/lib/stored-text.ts'

/** A message being written: kept on this device for who writes it until it is posted. */
export function useMessageDraft(memorialId: string): [text: string, setText: (text: string) => void] {
  const { user } = useSession()
  const key = `message-draft:${user?.id ?? 'guest'}:${memorialId}`
  const [text, setText] = useState(() => readText(key) ?? '')
  const keep = useCallback(
    (next: string) => {
      setText(next)
      if (next === '') removeText(key)
      else writeText(key, next)
    },
    [key],
  )
  return [text, keep]
}
