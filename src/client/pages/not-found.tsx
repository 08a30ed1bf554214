import { messages } from '#shared/messages.ts'
import { links } from '#client/lib/links.ts'
import { useSession } from '#client/lib/session.ts'
import { ButtonLink } from '#client/ui/button.tsx'
import { Page, PageTitle } from '#client/ui/page.tsx'

export default function NotFoundPage() {
  const { isLoading } = useSession()
  if (isLoading) return null
  return (
    <Page width="reading">
      <PageTitle>{messages.system.pageNotFound}</PageTitle>
      <p>
        The address may be mistyped, or the page may have moved. If it was the link to a memorial, ask the
        family for it again.
      </p>
      <p>
        <ButtonLink variant="primary" to={links.home}>
          Home
        </ButtonLink>{' '}
        <ButtonLink to={links.contact}>Support</ButtonLink>
      </p>
    </Page>
  )
}
