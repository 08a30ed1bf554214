import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#shared/api.ts'
import { PLAQUE_LETTERS_SMALL_MM } from '#shared/limits.ts'
import type { Memorial } from '#shared/memorials.ts'
import { messages } from '#shared/messages.ts'
import type { Plaque } from '#shared/location.ts'
import { errorText } from '#client/lib/call.ts'
import { saveFile, svgFile, pngInMillimetres } from '#client/lib/picture-files.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { showErrorToast } from '#client/lib/toast-store.ts'
import { Button } from '#client/ui/button.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { Skeleton } from '#client/ui/page.tsx'
import { OrderSheet } from './order-sheet.tsx'
import styles from './plaque-order.module.css'

/** The plaque of a memorial: its options, its files, and the order sheet for the engraver. */
export function PlaqueOrder({ memorial }: { memorial: Memorial }) {
  const [hasSentence, setSentence] = useState(true)
  const [hasMarks, setMarks] = useState(false)
  const query = { sentence: hasSentence ? 'yes' : 'no', marks: hasMarks ? 'yes' : 'no' } as const
  const { data, error, isPlaceholderData, refetch } = useQuery({
    ...endpointQuery(api.plaque, { params: { id: memorial.id }, query }),
    // Show the previous plaque until the next one has loaded.
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <div data-print="no">
        <p className={styles.about}>
          A plaque with the name, the years, one sentence and the QR code, in its true size. Send one of the
          files, or the printed sheet, to whoever makes the plaque.
        </p>
        <fieldset className={styles.choices}>
          <legend className="visually-hidden">What is on the plaque</legend>
          {memorial.title && (
            <Tick
              isTicked={hasSentence}
              onTick={setSentence}
              label="With the sentence"
              hint={memorial.title}
            />
          )}
          <Tick
            isTicked={hasMarks}
            onTick={setMarks}
            label="With crop marks"
            hint="Only if the engraver asks for them."
          />
        </fieldset>
        {error && (
          <Notice kind="error" title="The plaque could not be drawn">
            <p>{errorText(error, messages.system.internal)}</p>
            <Button onClick={() => void refetch()}>Try again</Button>
          </Notice>
        )}
      </div>
      {data ? (
        <>
          <Files plaque={data} slug={memorial.slug} isBusy={isPlaceholderData} />
          <OrderSheet plaque={data} name={memorial.honoureeFullName} />
        </>
      ) : (
        !error && <Skeleton height="34rem" />
      )}
    </>
  )
}

function Tick({
  isTicked,
  onTick,
  label,
  hint,
}: {
  isTicked: boolean
  onTick: (isTicked: boolean) => void
  label: string
  hint: string
}) {
  return (
    <label className={styles.tick}>
      <input type="checkbox" checked={isTicked} onChange={(event) => onTick(event.target.checked)} />
      <span>
        {label}
        <span className={styles.hint}>{hint}</span>
      </span>
    </label>
  )
}

/** `isBusy`: another plaque is loading, so the current one doesn't match the options. */
function Files({ plaque, slug, isBusy }: { plaque: Plaque; slug: string; isBusy: boolean }) {
  async function savePng() {
    try {
      saveFile(await pngInMillimetres(plaque.svg, plaque.widthMm, plaque.heightMm), `${slug}-plaque.png`)
    } catch (error) {
      showErrorToast(messages.share.pictureFailedTitle, errorText(error, messages.share.pictureFailedText))
    }
  }
  const unlessBusy = (act: () => void) => ({
    'aria-disabled': isBusy,
    onClick: () => {
      if (!isBusy) act()
    },
  })
  const isSmall = Math.min(plaque.nameMm, plaque.sentenceMm ?? plaque.nameMm) < PLAQUE_LETTERS_SMALL_MM
  return (
    <div data-print="no">
      {isSmall && (
        <Notice kind="warning" title="The letters are small">
          <p>So many words fit only in small letters. Ask the engraver first, or leave the sentence off.</p>
        </Notice>
      )}
      {!plaque.isOutlined && (
        <Notice kind="warning" title="Please ask the engraver for a proof">
          <p>
            Our font does not have all these letters. They stand in the SVG as text, and the engraver sets
            them in another font. The picture (PNG) shows them as this device does.
          </p>
        </Notice>
      )}
      <div className={styles.buttons}>
        <Button variant="primary" {...unlessBusy(() => saveFile(svgFile(plaque.svg), `${slug}-plaque.svg`))}>
          Download the plaque (SVG)
        </Button>
        <Button {...unlessBusy(() => void savePng())}>Download as a picture (PNG)</Button>
        <Button {...unlessBusy(() => window.print())}>Print the order sheet</Button>
      </div>
    </div>
  )
}
