import { messages } from '#shared/messages.ts'
import { Button } from './button.tsx'
import { Page, PageTitle } from './page.tsx'

/** The error screen. Only a new document helps. */
export function ScreenFailed() {
  return (
    <Page width="reading">
      <PageTitle takesFocus>{messages.system.screenFailedTitle}</PageTitle>
      <p role="alert">{messages.system.screenFailedText}</p>
      <Button variant="primary" onClick={() => window.location.reload()}>
        Try Again
      </Button>
    </Page>
  )
}
