import { Page, PageTitle } from '#client/ui/page.tsx'

export default function ForgotPasswordPage() {
  return (
    <Page>
      <PageTitle>ForgotPassword</PageTitle>
    </Page>
  )
}
