import { invitationMessages } from '#shared/invites/invitation-messages.ts'
import { PIN_DIGITS_MAX } from '#shared/limits.ts'
import { PIN_FORM } from '#shared/pages/plain-forms.ts'
import { usePostedForm } from '#client/lib/server-rendering.ts'
import { Button } from '#client/ui/button.tsx'
import { TextField } from '#client/ui/forms/field.tsx'
import { ErrorSummary } from '#client/ui/forms/form.tsx'
import { Page, PageTitle } from '#client/ui/page.tsx'

/** `/invite/:token/pin`: asks for the PIN of an invitation, before anything of the memorial is shown. The browser sends the form, with script or without. */
export function InvitePin() {
  const problem = usePostedForm(PIN_FORM)?.problem
  const { askTitle, askText, refusedTitle } = invitationMessages
  return (
    <Page width="narrow">
      <PageTitle>{askTitle}</PageTitle>
      <p>{askText}</p>
      {problem && (
        <ErrorSummary
          title={refusedTitle}
          text={problem.text}
          errors={problem.fields}
          idOf={(field) => `${PIN_FORM}-${field}`}
        />
      )}
      <form method="post" noValidate data-plain>
        <TextField
          id={`${PIN_FORM}-pin`}
          label="PIN"
          name="pin"
          inputMode="numeric"
          autoComplete="off"
          maxLength={2 * PIN_DIGITS_MAX}
          error={problem?.fields['pin']}
        />
        <Button type="submit" variant="primary" wide>
          Continue
        </Button>
      </form>
    </Page>
  )
}
