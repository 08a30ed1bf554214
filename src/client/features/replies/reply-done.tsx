import { useSearchParams } from 'react-router-dom'
import { replyMessages } from '#shared/funeral/gathering-messages.ts'
import { REPLY_DONE, REPLY_MAILED, REPLY_OF, REPLY_WORDS_SHOWN } from '#shared/pages/plain-forms.ts'
import type { Reply } from '#shared/replies/replies.ts'
import { Notice } from '#client/ui/notice.tsx'
import { wordsAfter } from './replies.tsx'

/** What the form that led to this page has done. */
export function ReplyDone({ replies }: { replies: readonly Reply[] }) {
  const [query] = useSearchParams()
  const said = saidOf(query, replies)
  if (said === null) return null
  return (
    <Notice>
      {said.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </Notice>
  )
}

function saidOf(query: URLSearchParams, replies: readonly Reply[]): string[] | null {
  const { received, noCookie, changed, withdrawn, mailed } = replyMessages
  const isMailed = query.has(REPLY_MAILED)
  const done = query.get(REPLY_DONE)
  if (done === 'withdrawn') return [withdrawn]
  if (done === 'changed') return [changed, ...(isMailed ? [mailed] : [])]
  if (done !== 'sent') return null
  const reply = replies.find(({ id }) => id === query.get(REPLY_OF))
  if (!reply) return [received, ...(isMailed ? [mailed] : []), noCookie]
  const shown = query.get(REPLY_WORDS_SHOWN)
  return wordsAfter(reply, isMailed, shown === null ? null : shown === '1')
}
