import { Link } from 'react-router-dom'
import { messages } from '#shared/messages.ts'
import { ApiError, errorText } from '#client/lib/call.ts'
import type { FailedInvite } from '#client/lib/failed-invite.ts'
import { links } from '#client/lib/links.ts'
import { ButtonLink } from '#client/ui/button.tsx'
import { Page, PageTitle } from '#client/ui/page.tsx'

/** Says why an invitation does not open. Offers a mourner nothing to buy. */
export function InviteFailed({ failedInvite, title, text, mayRetry }: FailedInvite) {
  return (
    <Page width="reading">
      <PageTitle takesFocus>{title}</PageTitle>
      <p role="alert">{text}</p>
      {mayRetry && <ButtonLink to={links.invite(failedInvite)}>Try Again</ButtonLink>}
      <p className="tall-links">
        <Link to={links.home}>Go to the start page</Link>
      </p>
    </Page>
  )
}

/** What {@link InviteFailed} shows for this invitation and error. */
export function explainFailedInvite(failedInvite: string, error: unknown): FailedInvite {
  const { endedTitle, endedText, privateText } = messages.invite
  if (error instanceof ApiError && error.status === 404)
    return { failedInvite, title: endedTitle, text: endedText, mayRetry: false }
  if (error instanceof ApiError && error.code === 'memorial_private')
    return { failedInvite, title: messages.memorial.privateTitle, text: privateText, mayRetry: false }
  const title = messages.contributor.accessErrorTitle
  return { failedInvite, title, text: errorText(error, endedText), mayRetry: true }
}
