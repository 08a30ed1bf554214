import { useSearchParams } from 'react-router-dom'
import { unsubscribeMessages } from '#shared/accounts/unsubscribe-messages.ts'
import { links } from '#client/lib/links.ts'
import { Button, ButtonLink } from '#client/ui/button.tsx'
import { Page, PageActions, PageTitle } from '#client/ui/page.tsx'

/** `/unsubscribe/:token`: ends mails. The browser sends the form, with script or without. */
export default function UnsubscribePage() {
  const [query] = useSearchParams()
  const { title, text, button, doneTitle, doneText, back } = unsubscribeMessages
  const isDone = query.has('done')
  return (
    <Page width="narrow">
      <PageTitle>{isDone ? doneTitle : title}</PageTitle>
      <p>{isDone ? doneText : text}</p>
      {isDone ? (
        <PageActions>
          <ButtonLink to={links.dashboard}>{back}</ButtonLink>
        </PageActions>
      ) : (
        <form method="post" data-plain>
          <input type="hidden" name="List-Unsubscribe" value="One-Click" />
          <Button type="submit" variant="primary">
            {button}
          </Button>
        </form>
      )}
    </Page>
  )
}
