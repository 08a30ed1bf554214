import { Page, PageTitle } from '#client/ui/page.tsx'

export default function NotFoundPage() {
  return (
    <Page>
      <PageTitle>NotFound</PageTitle>
    </Page>
  )
}
