import { Page, PageTitle } from '#client/ui/page.tsx'

export default function LoginPage() {
  return (
    <Page>
      <PageTitle>Login</PageTitle>
    </Page>
  )
}
