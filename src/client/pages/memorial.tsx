import { Page, PageTitle } from '#client/ui/page.tsx'

export default function MemorialPage() {
  return (
    <Page>
      <PageTitle>Memorial</PageTitle>
    </Page>
  )
}
