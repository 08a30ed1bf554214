import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useParams, useSearchParams } from 'react-router-dom'
import { api } from '#shared/api.ts'
import type { Comment, VisitorWords } from '#shared/comments/comments.ts'
import { messages } from '#shared/messages.ts'
import { VISITOR_FORM, WORDS_LEFT, WORDS_LINK_MAILED, WORDS_TAKEN_BACK } from '#shared/pages/plain-forms.ts'
import { VisitorForm } from '#client/features/comments/visitor-form.tsx'
import { MemorialError } from '#client/features/memorials/page/memorial-error.tsx'
import { formatDate } from '#client/lib/dates.ts'
import { links } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { usePostedForm } from '#client/lib/server-rendering.ts'
import { Button, ButtonLink } from '#client/ui/button.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { LoadingScreen, Page, PageTitle } from '#client/ui/page.tsx'
import styles from './visitor-words.module.css'

/** `/m/:slug/words`: what a visitor has left at a public memorial, what became of it, and how to take it back. */
export default function VisitorWordsPage() {
  const { slug = '' } = useParams()
  const { data, isError, error, refetch } = useQuery(endpointQuery(api.visitorWords, { params: { slug } }))
  if (isError) return <MemorialError error={error} onRetry={() => void refetch()} />
  return data ? <Words words={data} /> : <LoadingScreen />
}

function Words({ words: { memorial, comments, unproven } }: { words: VisitorWords }) {
  useProofs(memorial.slug, unproven)
  const refused = usePostedForm(VISITOR_FORM)
  // A refused form keeps its words, whatever the family allows by now.
  const form = (refused || memorial.visitorMessages !== 'NOBODY') && <VisitorForm memorial={memorial} />
  return (
    <Page width="reading">
      <div hidden data-words-of={memorial.id} data-has-words={comments.length > 0 ? '' : undefined} />
      {unproven.length > 0 && <div hidden data-unproven={unproven.join(' ')} data-slug={memorial.slug} />}
      <PageTitle>{`Your words for ${memorial.honoureeFullName}`}</PageTitle>
      <Received newest={comments[0]} isReadFirst={memorial.visitorMessages === 'APPROVED'} />
      {/* What is wrong comes first. */}
      {refused && form}
      {comments.length === 0 && !refused && <p>{messages.visitors.nothingLeft}</p>}
      {comments.length > 0 && (
        <ul className={styles.list}>
          {comments.map((comment) => (
            <Word key={comment.id} slug={memorial.slug} comment={comment} />
          ))}
        </ul>
      )}
      <p>
        <ButtonLink to={links.publicMemorial(memorial.slug)} reloadDocument>
          Back to the memorial
        </ButtonLink>
      </p>
      {!refused && form}
    </Page>
  )
}

/** Does the work for messages that were held because many came at once. Without React the page's small script does it. */
function useProofs(slug: string, unproven: string[]) {
  const client = useQueryClient()
  const ids = unproven.join(' ')
  useEffect(() => {
    if (ids === '') return
    void import('#client/features/comments/prove-messages.ts')
      .then(({ proveMessages }) => proveMessages(slug, ids.split(' ')))
      .then(() => client.invalidateQueries(endpointQuery(api.visitorWords, { params: { slug } })))
  }, [client, ids, slug])
}

/** What the form that led here has done. */
function Received({ newest, isReadFirst }: { newest: Comment | undefined; isReadFirst: boolean }) {
  const [query] = useSearchParams()
  const { receivedTitle, readFirst, isShown, noCookie, takenBack, linkMailed } = messages.visitors
  if (query.has(WORDS_TAKEN_BACK))
    return (
      <Notice>
        <p>{takenBack}</p>
      </Notice>
    )
  if (!query.has(WORDS_LEFT)) return null
  return (
    <Notice>
      <p>
        {/* Without a cookie only the memorial's own choice is known: a rule can hold words that would be shown at once. */}
        {receivedTitle} {(newest ? newest.isHeld : isReadFirst) ? readFirst : newest && isShown}
      </p>
      {query.has(WORDS_LINK_MAILED) && <p>{linkMailed}</p>}
      {!newest && <p>{noCookie}</p>}
    </Notice>
  )
}

/** So many characters of a message tell which one a button is for. */
const SHOWN_IN_NAME = 40

function Word({ slug, comment }: { slug: string; comment: Comment }) {
  const { id, body, authorName, createdAt, isHeld } = comment
  return (
    <li>
      <p className={styles.body} dir="auto">
        {body}
      </p>
      <p className="small-muted">
        <bdi>{authorName}</bdi> · {formatDate(createdAt)}
        <br />
        {isHeld ? messages.visitors.isWaiting : messages.visitors.isOnPage}
      </p>
      <form method="post" action={links.visitorWords(slug)} data-plain>
        <input type="hidden" name="take" value={id} />
        <Button type="submit" variant="quiet" aria-label={`Take back: ${body.slice(0, SHOWN_IN_NAME)}`}>
          Take back
        </Button>
      </form>
    </li>
  )
}
