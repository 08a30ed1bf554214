import { messages } from '#shared/messages.ts'
import { links } from '#client/lib/links.ts'
import { ButtonLink } from '#client/ui/button.tsx'
import { Page, PageTitle } from '#client/ui/page.tsx'

/** For an unknown path below a memorial's URL: says that the memorial was not found. */
export default function NoMemorialPage() {
  return (
    <Page width="reading">
      <PageTitle>{messages.memorial.notFoundTitle}</PageTitle>
      <p>{messages.memorial.notFoundText}</p>
      <ButtonLink to={links.home}>Return Home</ButtonLink>
    </Page>
  )
}
