import { Page, PageTitle } from '#client/ui/page.tsx'

export default function InvitePage() {
  return (
    <Page>
      <PageTitle>Invite</PageTitle>
    </Page>
  )
}
