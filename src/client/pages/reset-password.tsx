import { Page, PageTitle } from '#client/ui/page.tsx'

export default function ResetPasswordPage() {
  return (
    <Page>
      <PageTitle>ResetPassword</PageTitle>
    </Page>
  )
}
