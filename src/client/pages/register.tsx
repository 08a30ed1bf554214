import { Page, PageTitle } from '#client/ui/page.tsx'

export default function RegisterPage() {
  return (
    <Page>
      <PageTitle>Register</PageTitle>
    </Page>
  )
}
