import { useSearchParams } from 'react-router-dom'
import { DISPLAY_NAME_MAX, RELATION_MAX } from '#shared/limits.ts'
import { letInMessages } from '#shared/invites/let-in-messages.ts'
import { ASK_IN_FORM } from '#shared/pages/plain-forms.ts'
import { links } from '#client/lib/links.ts'
import { usePostedForm } from '#client/lib/server-rendering.ts'
import { Button, ButtonLink } from '#client/ui/button.tsx'
import { EmailField, TextField } from '#client/ui/forms/field.tsx'
import { ErrorSummary } from '#client/ui/forms/form.tsx'
import { Page, PageActions, PageTitle } from '#client/ui/page.tsx'

const words = letInMessages

/** `/memorial/:id/ask`: asks the family to be let in. The same page for every address; the browser sends the form, with script or without. */
export default function AskInPage() {
  const [query] = useSearchParams()
  const posted = usePostedForm(ASK_IN_FORM)
  if (query.has('sent') && !posted)
    return (
      <Page width="narrow">
        <PageTitle>{words.askedTitle}</PageTitle>
        <p role="status">{words.asked}</p>
        <PageActions>
          <ButtonLink to={links.home}>Return Home</ButtonLink>
        </PageActions>
      </Page>
    )
  const fieldOf = (name: string) => ({
    id: `${ASK_IN_FORM}-${name}`,
    name,
    defaultValue: posted?.values[name],
    error: posted?.problem.fields[name],
  })
  return (
    <Page width="narrow">
      <PageTitle>{words.title}</PageTitle>
      <p>{words.text}</p>
      {posted && (
        <ErrorSummary
          title={words.refusedTitle}
          text={posted.problem.text}
          errors={posted.problem.fields}
          idOf={(field) => `${ASK_IN_FORM}-${field}`}
        />
      )}
      <form method="post" noValidate data-plain>
        <TextField
          {...fieldOf('name')}
          label="Your name"
          autoComplete="name"
          maxLength={2 * DISPLAY_NAME_MAX}
        />
        <TextField {...fieldOf('relation')} label={words.relationLabel} maxLength={2 * RELATION_MAX} />
        <EmailField {...fieldOf('email')} hint={words.emailHint} />
        <Button type="submit" variant="primary" wide>
          Ask the family
        </Button>
      </form>
    </Page>
  )
}
