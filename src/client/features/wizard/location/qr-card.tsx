import { useQuery } from '@tanstack/react-query'
import { api } from '#shared/api.ts'
import type { MemorialQr } from '#shared/memorials/location.ts'
import type { Memorial } from '#shared/memorials/memorials.ts'
import { messages } from '#shared/messages.ts'
import { errorText } from '#client/lib/call.ts'
import { qrCodePng, saveFile, svgDataUri, svgFile, saveImage } from '#client/lib/browser/image-files.ts'
import { links } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { Button, ButtonLink } from '#client/ui/button.tsx'
import { Skeleton } from '#client/ui/page.tsx'
import type { Wizard } from '../use-wizard.ts'
import styles from './step-location.module.css'

/** The QR code of the memorial's permanent link, its downloads for the engraver, and a link to the plaque page. */
export function QrCard({ wizard }: { wizard: Wizard }) {
  const { memorialId, view } = wizard
  const qr = useQuery({
    ...endpointQuery(api.locationQr, { params: { id: memorialId ?? '' } }),
    enabled: memorialId !== null,
  })
  return (
    <section className={`surface ${styles.card}`} aria-labelledby="qr-title">
      <h3 id="qr-title">QR code for the gravestone</h3>
      <p>
        Point a phone’s camera at it to open the memorial. Take it to any engraver, or ask us for a price
        under “Plaque for the grave”.
      </p>
      <p>
        <strong>The QR code never changes, even if you make the memorial private later.</strong>
      </p>
      {!memorialId && <p className="small-muted">{messages.wizard.setupIncompleteText}.</p>}
      {qr.isLoading && <Skeleton height="12rem" width="12rem" />}
      {qr.error && (
        <p>
          {errorText(qr.error, messages.system.notAvailable)}{' '}
          <Button onClick={() => void qr.refetch()}>Try again</Button>
        </p>
      )}
      {qr.data && view && <Code qr={qr.data} memorial={view.memorial} />}
    </section>
  )
}

function Code({ qr, memorial }: { qr: MemorialQr; memorial: Memorial }) {
  return (
    <>
      <img
        className={styles.code}
        src={svgDataUri(qr.svg)}
        alt={`QR code that opens ${qr.url}`}
        width={192}
        height={192}
      />
      <p className={styles.address}>{qr.url}</p>
      <p className="small-muted">
        Print it at least {qr.sizeMm} mm wide, black on white, and keep the white border.
      </p>
      <div className="row">
        <Button onClick={() => saveFile(svgFile(qr.svg), `${memorial.slug}-qr.svg`)}>
          Download for the plaque (SVG)
        </Button>
        <Button onClick={() => void saveImage(qrCodePng(qr.svg), `${memorial.slug}-qr.png`)}>
          Download as a picture (PNG)
        </Button>
        <ButtonLink to={links.plaque(memorial.id)}>Plaque for the grave</ButtonLink>
      </div>
    </>
  )
}
