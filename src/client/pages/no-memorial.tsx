import { messages } from '#shared/messages.ts'
import { links } from '#client/lib/links.ts'
import { ButtonLink } from '#client/ui/button.tsx'
import { Page, PageTitle } from '#client/ui/page.tsx'

/** For an address below a memorial's own, at which there is nothing: it is the memorial that is looked for. */
export default function NoMemorialPage() {
  return (
    <Page width="reading">
      <PageTitle>{messages.memorial.notFoundTitle}</PageTitle>
      <p>{messages.memorial.notFoundText}</p>
      <ButtonLink to={links.home}>Return Home</ButtonLink>
    </Page>
  )
}
