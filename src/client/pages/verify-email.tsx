import { Page, PageTitle } from '#client/ui/page.tsx'

export default function VerifyEmailPage() {
  return (
    <Page>
      <PageTitle>VerifyEmail</PageTitle>
    </Page>
  )
}
