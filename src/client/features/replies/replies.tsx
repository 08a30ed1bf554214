import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#shared/api.ts'
import type { FuneralEvent } from '#shared/funeral/funeral.ts'
import { endOf } from '#shared/funeral/gatherings.ts'
import { REPLIES_KEPT_MS } from '#shared/limits.ts'
import type { MemorialView } from '#shared/memorials/memorials.ts'
import { replyMessages } from '#shared/funeral/gathering-messages.ts'
import type { Reply, ReplyInput } from '#shared/replies/replies.ts'
import { isOpenForReplies } from '#shared/replies/reply-times.ts'
import { call } from '#client/lib/call.ts'
import { links } from '#client/lib/links.ts'
import { allQueriesOf, endpointQuery } from '#client/lib/query-client.ts'
import { useHydrated } from '#client/lib/server-rendering.ts'
import { useOpenedAt } from '#client/lib/use-now.ts'
import {
  CONTRIBUTOR_SESSION_PREFIX,
  LEFT_WORDS,
  readText,
  writeText,
} from '#client/lib/browser/stored-text.ts'
import { Notice } from '#client/ui/notice.tsx'
import { Fold } from './fold.tsx'
import { mayLeaveWords } from './may-leave-words.ts'
import { OwnReply } from './own-reply.tsx'
import { ReplyForm } from './reply-form.tsx'
import styles from './replies.module.css'

type Props = { event: FuneralEvent; memorialId: string; invite: string | undefined }

/** Renders what stands in the card of a gathering for this viewer: says whether somebody comes, and shows what this browser has said. Not for editors. */
export function repliesFor(view: Pick<MemorialView, 'memorial' | 'viewer'>) {
  if (view.viewer.canEdit) return undefined
  const hasGuestbook = mayLeaveWords(view)
  // Not a component of its own: another one, once the viewer gives their name, would have an empty form.
  return (props: Props) => <Replies {...props} hasGuestbook={hasGuestbook} />
}

function Replies({ event, memorialId, invite, hasGuestbook }: Props & { hasGuestbook: boolean }) {
  // Not the present minute: what somebody is typing when replies close stays, and the server says that they are closed.
  const openedAt = useOpenedAt()
  const isHydrated = useHydrated()
  const address = { params: { id: memorialId }, query: invite === undefined ? {} : { invite } }
  // The page is the same for everybody, and this browser's cookie isn't.
  const { data } = useQuery({ ...endpointQuery(api.ownReplies, address), enabled: isHydrated })
  const own = data?.replies.filter(({ eventId }) => eventId === event.id) ?? []
  const { said, ...calls } = useReplyCalls(event, memorialId, invite)
  const isOpen = isOpenForReplies(event, openedAt)
  const isOnlyClosed = !isOpen && !event.isCancelled && openedAt < Date.parse(event.dateTime)
  const isKept = openedAt < endOf(event) + REPLIES_KEPT_MS
  const action = links.replies(memorialId, invite)
  return (
    <div className={styles.replies} data-print="no">
      {said && (
        // Each answer takes the focus anew.
        <Notice key={said.at} takesFocus>
          {said.sentences.map((sentence) => (
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
          now={openedAt}
          onChange={(input) => calls.change(reply, input)}
          onWithdraw={() => calls.withdraw(reply)}
        />
      ))}
      {isOpen && (
        <Fold
          // A new form after each reply that was sent, and for no other reason: somebody may be typing.
          key={calls.key}
          title={own.length === 0 ? replyMessages.question : 'Reply for somebody else'}
        >
          <ReplyForm
            event={event}
            action={action}
            known={own.length === 0 ? data?.replies.at(-1) : undefined}
            mayLeaveWords={hasGuestbook}
            onSend={isHydrated ? calls.send : undefined}
          />
        </Fold>
      )}
      {isOnlyClosed && <p className="small-muted">{replyMessages.isClosed}</p>}
      {!isHydrated && isKept && (
        <p className="small-muted tall-links">
          <a href={action}>{isOpen ? 'See or change your reply' : 'See your reply'}</a>
        </p>
      )}
    </div>
  )
}

/** The calls of a reply's forms, and what to say after one: what it did. */
function useReplyCalls(event: FuneralEvent, memorialId: string, invite: string | undefined) {
  const client = useQueryClient()
  const [said, setSaid] = useState<{ at: number; sentences: string[] } | null>(null)
  const say = (sentences: string[]) => setSaid({ at: Date.now(), sentences })
  // Of the form that is open: a reply that is sent twice counts once.
  const [key, setKey] = useState(() => crypto.randomUUID())
  const refresh = () => client.invalidateQueries(allQueriesOf(api.ownReplies, { id: memorialId }))
  return {
    said,
    key,
    async send(input: ReplyInput) {
      const sent = await call(api.sendReply, {
        params: { id: memorialId, eventId: event.id },
        ...(invite !== undefined && { query: { invite } }),
        body: input,
        headers: { 'Idempotency-Key': key },
      })
      startAppNextTime(memorialId)
      // Its answer was lost, and it was corrected before it was sent again: the server gives back the first one.
      const { reply } =
        textOf(sent.reply) === textOf(input)
          ? sent
          : await call(api.changeReply, { params: { reply: sent.reply.id }, body: input })
      await refresh()
      setKey(crypto.randomUUID())
      say(wordsAfter(reply, reply.email !== null, input.inGuestbook ? (sent.isInGuestbook ?? false) : null))
    },
    async change({ id, email }: Reply, input: ReplyInput) {
      const { reply } = await call(api.changeReply, { params: { reply: id }, body: input })
      await refresh()
      const isMailed = reply.email !== null && reply.email !== email
      say([replyMessages.changed, ...(isMailed ? [replyMessages.mailed] : [])])
    },
    async withdraw({ id }: Reply) {
      await call(api.withdrawReply, { params: { reply: id } })
      await refresh()
      say([replyMessages.withdrawn])
    },
  }
}

/** What differs between replies. Without the outer spaces that the server drops; what else it drops costs a change that changes nothing. */
function textOf({ answer, people, name, words, email }: Reply | ReplyInput): string {
  return JSON.stringify([
    answer,
    people,
    name.trim(),
    words?.trim() || null,
    email?.trim().toLowerCase() || null,
  ])
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
