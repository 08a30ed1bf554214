import { Page, PageTitle } from '#client/ui/page.tsx'

export default function PublicMemorialPage() {
  return (
    <Page>
      <PageTitle>PublicMemorial</PageTitle>
    </Page>
  )
}
