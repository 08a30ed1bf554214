import { Page, PageTitle } from '#client/ui/page.tsx'

export default function DashboardPage() {
  return (
    <Page>
      <PageTitle>Dashboard</PageTitle>
    </Page>
  )
}
