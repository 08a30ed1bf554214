import type { Memorial } from '#shared/memorials.ts'
import { ShareCard } from '#client/features/invites/share-card.tsx'
import { QrButton } from '#client/features/location/qr-button.tsx'
import { PrintButton } from '#client/features/memorials/print-button.tsx'

/** The owner's sharing tools: link, QR code and printing. */
export function ShareTools({ memorial }: { memorial: Memorial }) {
  return (
    <ShareCard id="share" memorial={memorial}>
      <QrButton memorialId={memorial.id} slug={memorial.slug} />
      <PrintButton />
    </ShareCard>
  )
}
