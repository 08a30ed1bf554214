import type { Memorial } from '#shared/memorials/memorials.ts'
import { AnnouncementButton } from '#client/features/funeral/announcement-card.tsx'
import { ShareCard } from '#client/features/invites/share-card.tsx'
import { QrButton } from '#client/features/location/qr-button.tsx'
import { PrintButton } from '#client/features/memorials/page/print-button.tsx'

/** The owner's sharing tools: link, card to forward, QR code and printing. */
export function ShareTools({ memorial }: { memorial: Memorial }) {
  return (
    <ShareCard id="share" memorial={memorial}>
      <AnnouncementButton memorial={memorial} />
      <QrButton memorialId={memorial.id} slug={memorial.slug} />
      <PrintButton />
    </ShareCard>
  )
}
