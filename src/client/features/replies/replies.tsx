import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#shared/api.ts'
import type { FuneralEvent } from '#shared/funeral.ts'
import type { MemorialView } from '#shared/memorials.ts'
import { replyMessages } from '#shared/gathering-messages.ts'
import type { Reply, ReplyInput } from '#shared/replies.ts'
import { isOpenForReplies } from '#shared/reply-times.ts'
import { call } from '#client/lib/call.ts'
import { links } from '#client/lib/links.ts'
import { allQueriesOf, endpointQuery } from '#client/lib/query-client.ts'
import { useHydrated } from '#client/lib/server-rendering.ts'
import { useNow } from '#client/lib/use-now.ts'
import { CONTRIBUTOR_SESSION_PREFIX, LEFT_WORDS, readText, writeText } from '#client/lib/stored-text.ts'
import { Notice } from '#client/ui/notice.tsx'
import { Fold } from './fold.tsx'
import { mayLeaveWords } from './may-leave-words.ts'
import { OwnReply } from './own-reply.tsx'
import { ReplyForm } from './reply-form.tsx'
import styles from './replies.module.css'

type Props = { event: FuneralEvent; memorialId: string; invite: string | undefined }

/** What stands in the card of a gathering for this viewer: says whether somebody comes, and shows what this browser has said. Not for editors. */
export function repliesFor(view: Pick<MemorialView, 'memorial' | 'viewer'>) {
  if (view.viewer.canEdit) return undefined
  return mayLeaveWords(view) ? RepliesWithWords : Replies
}

function Replies(props: Props) {
  return <RepliesOf {...props} hasGuestbook={false} />
}

function RepliesWithWords(props: Props) {
  return <RepliesOf {...props} hasGuestbook />
}

function RepliesOf({ event, memorialId, invite, hasGuestbook }: Props & { hasGuestbook: boolean }) {
  const now = useNow()
  const isHydrated = useHydrated()
  const address = { params: { id: memorialId }, query: invite === undefined ? {} : { invite } }
  // The page is the same for everybody, and this browser's cookie isn't.
  const { data } = useQuery({ ...endpointQuery(api.ownReplies, address), enabled: isHydrated })
  const own = data?.replies.filter(({ eventId }) => eventId === event.id) ?? []
  const { said, ...calls } = useReplyCalls(event, memorialId, invite)
  const isOpen = isOpenForReplies(event, now)
  const action = links.replies(memorialId, invite)
  if (!isOpen && own.length === 0 && said === null) {
    const isOnlyClosed = event.takesReplies && !event.isCancelled && now < Date.parse(event.dateTime)
    return isOnlyClosed && <p className="small-muted">{replyMessages.isClosed}</p>
  }
  return (
    <div className={styles.replies} data-print="no">
      {said && (
        // Each answer takes the focus anew.
        <Notice key={said.join()} takesFocus>
          {said.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </Notice>
      )}
      {own.map((reply) => (
        <OwnReply
          key={reply.id}
          reply={reply}
          gathering={event}
          action={action}
          now={now}
          onChange={(input) => calls.change(reply, input)}
          onWithdraw={() => calls.withdraw(reply)}
        />
      ))}
      {isOpen && (
        <Fold
          // A new form after each reply.
          key={own.length}
          title={own.length === 0 ? replyMessages.question : 'Reply for somebody else'}
        >
          <ReplyForm
            // The inputs hold what they were rendered with.
            key={data ? 'own' : 'anybody'}
            event={event}
            action={action}
            known={own.length === 0 ? data?.replies.at(-1) : undefined}
            mayLeaveWords={hasGuestbook}
            onSend={isHydrated ? calls.send : undefined}
          />
          {!isHydrated && (
            <p>
              <a href={action}>See or change your reply</a>
            </p>
          )}
        </Fold>
      )}
    </div>
  )
}

/** The calls of a reply's forms, and what to say after one: what it did. */
function useReplyCalls(event: FuneralEvent, memorialId: string, invite: string | undefined) {
  const client = useQueryClient()
  const [said, setSaid] = useState<string[] | null>(null)
  // Of the form that is open: a reply that is sent twice counts once.
  const [key, setKey] = useState(() => crypto.randomUUID())
  const refresh = () => client.invalidateQueries(allQueriesOf(api.ownReplies, { id: memorialId }))
  return {
    said,
    async send(input: ReplyInput) {
      const { reply, isMailed, isInGuestbook } = await call(api.sendReply, {
        params: { id: memorialId, eventId: event.id },
        ...(invite !== undefined && { query: { invite } }),
        body: input,
        headers: { 'Idempotency-Key': key },
      })
      setKey(crypto.randomUUID())
      startAppNextTime(memorialId)
      await refresh()
      setSaid(wordsAfter(reply, isMailed ?? false, input.inGuestbook ? (isInGuestbook ?? false) : null))
    },
    async change({ id, email }: Reply, input: ReplyInput) {
      const { reply } = await call(api.changeReply, { params: { reply: id }, body: input })
      await refresh()
      const isMailed = reply.email !== null && reply.email !== email
      setSaid([replyMessages.changed, ...(isMailed ? [replyMessages.mailed] : [])])
    },
    async withdraw({ id }: Reply) {
      await call(api.withdrawReply, { params: { reply: id } })
      await refresh()
      setSaid([replyMessages.withdrawn])
    },
  }
}

/** What to say of a reply that was sent. `isInGuestbook`: null if it wasn't meant to be there. */
export function wordsAfter(
  { name, people, answer }: Pick<Reply, 'name' | 'people' | 'answer'>,
  isMailed: boolean,
  isInGuestbook: boolean | null,
): string[] {
  const { thanks, mailed, inGuestbook, notInGuestbook } = replyMessages
  return [
    thanks(name, people)[answer],
    ...(isMailed ? [mailed] : []),
    ...(isInGuestbook === null ? [] : [isInGuestbook ? inGuestbook : notInGuestbook]),
  ]
}

/** The public page is the same for everybody: this tells its script that the app has something to show here. */
function startAppNextTime(memorialId: string): void {
  const key = CONTRIBUTOR_SESSION_PREFIX + memorialId
  if (readText(key) === null) writeText(key, LEFT_WORDS)
}
