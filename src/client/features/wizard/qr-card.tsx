import { useQuery } from '@tanstack/react-query'
import { api } from '#shared/api.ts'
import type { MemorialQr } from '#shared/location.ts'
import type { Memorial } from '#shared/memorials.ts'
import { messages } from '#shared/messages.ts'
import { errorText } from '#client/lib/call.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { showErrorToast } from '#client/lib/toast-store.ts'
import { Button } from '#client/ui/button.tsx'
import { Skeleton } from '#client/ui/page.tsx'
import { pngOf, saveFile, svgAddress } from './qr-files.ts'
import styles from './qr-card.module.css'
import type { Wizard } from './wizard.ts'

/** The QR code of the memorial's permanent link: to look at, to give to the engraver, to print. */
export function QrCard({ wizard }: { wizard: Wizard }) {
  const { memorialId, view } = wizard
  const qr = useQuery({
    ...endpointQuery(api.locationQr, { params: { id: memorialId ?? '' } }),
    enabled: memorialId !== null,
  })
  return (
    <section className={styles['card']} aria-labelledby="qr-title">
      <h3 id="qr-title">QR code for the gravestone</h3>
      <p>Whoever points a phone at it opens the memorial. Plaques are made and sent within Zimbabwe.</p>
      <p>
        <strong>The QR code never changes, even if you make the memorial private later.</strong>
      </p>
      {!memorialId && <p className={styles['muted']}>{messages.wizard.setupIncompleteText}.</p>}
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
  async function savePng() {
    try {
      saveFile(await pngOf(qr.svg), `${memorial.slug}-qr.png`)
    } catch (error) {
      showErrorToast('The picture could not be made', errorText(error, 'Please download the SVG instead.'))
    }
  }
  return (
    <>
      <div className={styles['plaque']}>
        <p className={styles['plaqueName']}>{memorial.honoureeFullName}</p>
        <p className={styles['plaqueYears']}>{yearsOf(memorial)}</p>
        <img
          className={styles['code']}
          src={svgAddress(qr.svg)}
          alt={`QR code that opens ${qr.url}`}
          width={192}
          height={192}
        />
        {memorial.title && <p className={styles['plaqueTitle']}>{memorial.title}</p>}
        <p className={styles['address']}>{qr.url}</p>
      </div>
      <p className={styles['muted']}>
        Printed size at least {qr.sizeMm} mm, black on white, with its white edge.
      </p>
      <div className={styles['buttons']}>
        <Button
          onClick={() => saveFile(new Blob([qr.svg], { type: 'image/svg+xml' }), `${memorial.slug}-qr.svg`)}
        >
          Download for the plaque (SVG)
        </Button>
        <Button onClick={() => void savePng()}>Download as a picture (PNG)</Button>
        <Button onClick={printPlaque}>Print</Button>
      </div>
    </>
  )
}

function yearsOf({ dateOfBirth, dateOfDeath }: Memorial): string {
  return [dateOfBirth, dateOfDeath]
    .map((date) => date?.slice(0, 4) ?? '')
    .join(' – ')
    .replace(/^ – $/u, '')
}

/** Prints the plaque alone: the style sheet hides the rest while the mark is set. */
function printPlaque(): void {
  const root = document.documentElement
  root.dataset['print'] = 'plaque'
  window.addEventListener('afterprint', () => delete root.dataset['print'], { once: true })
  window.print()
}
