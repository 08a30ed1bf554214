import { letInMessages } from '#shared/invites/let-in-messages.ts'
import { LET_IN_FORM } from '#shared/pages/plain-forms.ts'
import { usePostedForm } from '#client/lib/server-rendering.ts'
import { Button } from '#client/ui/button.tsx'
import { ErrorSummary } from '#client/ui/forms/form.tsx'
import { Page, PageTitle } from '#client/ui/page.tsx'

/** `/let-in/:token`: the mailed link of whoever was let in. Only its button opens the memorial: programs that check mails open every link. */
export default function LetInPage() {
  const problem = usePostedForm(LET_IN_FORM)?.problem
  const { openTitle, openText, openButton, openFailed } = letInMessages
  return (
    <Page width="narrow">
      <PageTitle>{openTitle}</PageTitle>
      {problem && (
        <ErrorSummary title={openFailed} text={problem.text} errors={{}} idOf={() => LET_IN_FORM} />
      )}
      <p>{openText}</p>
      <form method="post" data-plain>
        <Button type="submit" variant="primary" wide>
          {openButton}
        </Button>
      </form>
    </Page>
  )
}
