import { Page, PageTitle } from '#client/ui/page.tsx'

export default function CheckoutPage() {
  return (
    <Page>
      <PageTitle>Checkout</PageTitle>
    </Page>
  )
}
