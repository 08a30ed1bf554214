import { useSearchParams } from 'react-router-dom'
import { claimMessages } from '#shared/keepers/claim-messages.ts'
import { links } from '#client/lib/links.ts'
import { Button, ButtonLink } from '#client/ui/button.tsx'
import { Page, PageActions, PageTitle } from '#client/ui/page.tsx'

const {
  stillHereTitle,
  stillHereText,
  stillHereButton,
  stillHereDoneTitle,
  stillHereDoneText,
  stillHereBack,
} = claimMessages

/** `/still-here/:token`: an owner says that they are there. The browser sends the form, with script or without. */
export default function StillHerePage() {
  const [query] = useSearchParams()
  const isDone = query.has('done')
  return (
    <Page width="narrow">
      <PageTitle>{isDone ? stillHereDoneTitle : stillHereTitle}</PageTitle>
      <p>{isDone ? stillHereDoneText : stillHereText}</p>
      {isDone ? (
        <PageActions>
          <ButtonLink to={links.dashboard}>{stillHereBack}</ButtonLink>
        </PageActions>
      ) : (
        <form method="post" data-plain>
          <Button type="submit" variant="primary">
            {stillHereButton}
          </Button>
        </form>
      )}
    </Page>
  )
}
