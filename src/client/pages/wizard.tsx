import { Page, PageTitle } from '#client/ui/page.tsx'

export default function WizardPage() {
  return (
    <Page>
      <PageTitle>Wizard</PageTitle>
    </Page>
  )
}
