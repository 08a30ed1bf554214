import type { Memorial } from '#shared/memorials.ts'
import { ShareCard } from '#client/features/invites/share-card.tsx'
import { QrButton } from '#client/features/location/qr-button.tsx'
import { PrintButton } from '#client/features/memorials/print-button.tsx'

/** How its owner shares a memorial: by link, on stone and on paper. */
export function ShareTools({ memorial }: { memorial: Memorial }) {
  return (
    <ShareCard id="share" memorial={memorial}>
      <QrButton memorialId={memorial.id} slug={memorial.slug} />
      <PrintButton />
    </ShareCard>
  )
}
