import { Page, PageTitle } from '#client/ui/page.tsx'

export default function HomePage() {
  return (
    <Page>
      <PageTitle>Home</PageTitle>
    </Page>
  )
}
