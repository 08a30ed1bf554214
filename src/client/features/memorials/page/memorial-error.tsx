import { messages } from '#shared/messages.ts'
import { ApiError, NetworkError, errorText } from '#client/lib/call.ts'
import { links } from '#client/lib/links.ts'
import { Button, ButtonLink } from '#client/ui/button.tsx'
import { Page, PageActions, PageTitle } from '#client/ui/page.tsx'

/** Explains to the visitor why there is no memorial to show. `isLinkDead`: the invitation by which they came has ended. */
export function MemorialError({
  error,
  askPath = null,
  isLinkDead = false,
  onRetry,
}: {
  error: unknown
  /** Where one asks the family to be let in; null where they take no requests. */
  askPath?: string | null
  isLinkDead?: boolean
  onRetry: () => void
}) {
  const { title, text } = isLinkDead
    ? {
        title: messages.memorial.deniedTitle,
        text: `${messages.invite.endedTitle} ${messages.invite.endedText}`,
      }
    : explain(error)
  return (
    <Page width="reading">
      <PageTitle>{title}</PageTitle>
      <p role="alert">{text}</p>
      {askPath !== null && (
        <p className="tall-links">
          <a href={askPath}>Ask the family to let you in</a>
        </p>
      )}
      <PageActions>
        {!isAnswer(error) && (
          <Button variant="primary" onClick={onRetry}>
            Try Again
          </Button>
        )}
        <ButtonLink to={links.home}>Return Home</ButtonLink>
      </PageActions>
    </Page>
  )
}

/** True if the server refused, as opposed to being unreachable or failing. */
function isAnswer(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500
}

function explain(error: unknown): { title: string; text: string } {
  const message = errorText(error, '')
  if (error instanceof ApiError && error.status === 404) {
    return { title: messages.memorial.notFoundTitle, text: messages.memorial.notFoundText }
  }
  if (message.includes('private')) {
    return { title: messages.memorial.privateTitle, text: messages.memorial.privateText }
  }
  if (error instanceof NetworkError || !isAnswer(error)) {
    return { title: messages.memorial.loadFailedTitle, text: message || messages.memorial.loadFailedText }
  }
  return { title: messages.memorial.deniedTitle, text: messages.memorial.deniedText }
}
