import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useParams, useSearchParams } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { fillPath } from '#shared/fill-path.ts'
import { replyMessages } from '#shared/funeral/gathering-messages.ts'
import { paths } from '#shared/pages/pages.ts'
import { changeForm, REPLY_DONE, withdrawForm } from '#shared/pages/plain-forms.ts'
import type { LinkedReply } from '#shared/replies/replies.ts'
import { OwnReply } from '#client/features/replies/own-reply.tsx'
import { RefusedReply } from '#client/features/replies/refused-reply.tsx'
import { RepliedGathering } from '#client/features/replies/replied-gathering.tsx'
import { ReplyDone } from '#client/features/replies/reply-done.tsx'
import { ApiError } from '#client/lib/call.ts'
import { links } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { ButtonLink } from '#client/ui/button.tsx'
import { LoadingScreen, Page, PageTitle } from '#client/ui/page.tsx'
import { ScreenFailed } from '#client/ui/screen-failed.tsx'

/** `/reply/:token`: the reply of a mailed link, to change it or take it back. */
export default function ReplyPage() {
  const { token = '' } = useParams()
  const found = useQuery(endpointQuery(api.replyByLink, { params: { reply: token } }))
  const isOver = found.data === null || (found.error instanceof ApiError && found.error.status === 404)
  if (isOver) return <LinkOver />
  if (found.isError) return <ScreenFailed />
  return found.data ? (
    <Linked linked={found.data} action={fillPath(paths.reply, { token })} />
  ) : (
    <LoadingScreen />
  )
}

function Linked({ linked: { reply, gathering, memorial }, action }: { linked: LinkedReply; action: string }) {
  const [now] = useState(() => Date.now())
  const isPublic = memorial.privacy === 'LOCKED'
  const own = <OwnReply reply={reply} gathering={gathering} action={action} now={now} />
  return (
    <Page width="reading">
      <PageTitle>{`Your reply: ${memorial.honoureeFullName}`}</PageTitle>
      <ReplyDone replies={[reply]} />
      <RefusedReply forms={[withdrawForm(reply.id), ...(gathering ? [changeForm(reply.id)] : [])]} />
      {gathering ? (
        <RepliedGathering gathering={gathering} calendarOf={isPublic ? memorial.id : null}>
          {own}
        </RepliedGathering>
      ) : (
        own
      )}
      {isPublic && (
        <p>
          <ButtonLink to={links.publicMemorial(memorial.slug)} reloadDocument>
            Go to the memorial
          </ButtonLink>
        </p>
      )}
    </Page>
  )
}

const NO_FORMS = [] as const

/** The link has ended: by what its own form has just done, or before. */
function LinkOver() {
  const [query] = useSearchParams()
  const { withdrawn, withdrawText, changed, moved, linkOver, linkOverText } = replyMessages
  const done = query.get(REPLY_DONE)
  const [title, text] =
    done === 'withdrawn'
      ? [withdrawn, withdrawText]
      : done === 'changed'
        ? [changed, moved]
        : [linkOver, linkOverText]
  return (
    <Page width="narrow">
      <PageTitle>{title}</PageTitle>
      <RefusedReply forms={NO_FORMS} />
      <p>{text}</p>
    </Page>
  )
}
