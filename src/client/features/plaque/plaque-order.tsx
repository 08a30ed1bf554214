import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#shared/api.ts'
import { PLAQUE_LETTERS_SMALL_MM, PLAQUE } from '#shared/limits.ts'
import type { Memorial } from '#shared/memorials/memorials.ts'
import type { Plaque } from '#shared/memorials/plaque.ts'
import {
  saveFile,
  svgFile,
  pngInMillimetres,
  svgDataUri,
  saveImage,
} from '#client/lib/browser/image-files.ts'
import { links, type ContactDraft } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { Button, ButtonLink } from '#client/ui/button.tsx'
import { Checkbox } from '#client/ui/forms/field.tsx'
import { Notice, LoadError } from '#client/ui/notice.tsx'
import { Skeleton } from '#client/ui/page.tsx'
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
          files, or the printed sheet, to anyone who makes plaques. Or ask us for a price.
        </p>
        <fieldset className={styles.choices}>
          <legend className="visually-hidden">What is on the plaque</legend>
          {memorial.title && (
            <Checkbox
              isChecked={hasSentence}
              onChange={setSentence}
              label="With the sentence"
              hint={memorial.title}
            />
          )}
          <Checkbox
            isChecked={hasMarks}
            onChange={setMarks}
            label="With crop marks"
            hint="Only if the engraver asks for them."
          />
        </fieldset>
        {error && (
          <LoadError title="The plaque could not be drawn" error={error} onRetry={() => void refetch()} />
        )}
      </div>
      {data ? (
        <>
          <Files plaque={data} memorial={memorial} isBusy={isPlaceholderData} />
          <OrderSheet plaque={data} name={memorial.honoureeFullName} />
        </>
      ) : (
        !error && <Skeleton height="34rem" />
      )}
    </>
  )
}

/** `isBusy`: another plaque is loading, so the current one doesn't match the options. */
type FilesProps = { plaque: Plaque; memorial: Memorial; isBusy: boolean }
function Files({ plaque, memorial, isBusy }: FilesProps) {
  const isSmall = Math.min(plaque.nameMm, plaque.sentenceMm ?? plaque.nameMm) < PLAQUE_LETTERS_SMALL_MM
  return (
    <div data-print="no">
      {isSmall && (
        <Notice kind="warning" title="The letters are small">
          <p>
            The text is long, so the letters will be small. Ask the engraver first, or leave the sentence off.
          </p>
        </Notice>
      )}
      {!plaque.isOutlined && (
        <Notice kind="warning" title="Please ask the engraver for a proof">
          <p>
            Our font does not have all these letters. They’re text in the SVG, and the engraver sets them in
            another font. The picture (PNG) shows them as this device does.
          </p>
        </Notice>
      )}
      <div className={`row ${styles.buttons}`}>
        <Button
          variant="primary"
          isBusy={isBusy}
          onClick={() => saveFile(svgFile(plaque.svg), `${memorial.slug}-plaque.svg`)}
        >
          Download the plaque (SVG)
        </Button>
        <Button
          isBusy={isBusy}
          onClick={() =>
            void saveImage(
              pngInMillimetres(plaque.svg, plaque.widthMm, plaque.heightMm),
              `${memorial.slug}-plaque.png`,
            )
          }
        >
          Download as a picture (PNG)
        </Button>
        <Button isBusy={isBusy} onClick={() => window.print()}>
          Print the order sheet
        </Button>
        <ButtonLink to={links.contact} state={priceRequest(plaque, memorial)}>
          Ask us for a price
        </ButtonLink>
      </div>
    </div>
  )
}

/** Asks the operator, with a blank for the address. */
function priceRequest({ url, sentenceMm }: Plaque, { honoureeFullName }: Memorial): ContactDraft {
  const size = `${PLAQUE.widthMm} × ${PLAQUE.heightMm} mm`
  const sentence = sentenceMm === null ? 'without' : 'with'
  return {
    subject: 'Price of a plaque',
    message: `What would this plaque cost, sent to this address?\n[name, street, town, country]\n\nFor: ${honoureeFullName}\nSize: ${size}, ${sentence} the sentence\nQR code: ${url}\n`,
  }
}

const WHITE_MODULES = 4

/** One printable page for the engraver: the plaque at its true size, and everything needed to make it. */
function OrderSheet({ plaque, name }: { plaque: Plaque; name: string }) {
  const { widthMm, heightMm, codeMm, moduleMm } = plaque
  return (
    <section className={`surface ${styles.sheet}`} aria-labelledby="order-title">
      <h2 id="order-title" className={styles.title}>
        Order for a plaque: {name}
      </h2>
      <div className={styles.columns}>
        <div>
          <img
            className={styles.plaque}
            src={svgDataUri(plaque.svg)}
            alt={`Plaque of ${name}, with a QR code of ${plaque.url}`}
            style={{ width: `${widthMm}mm`, aspectRatio: `${widthMm} / ${heightMm}` }}
          />
          <div className={styles.ruler} aria-hidden="true" />
          <p className={`small-muted ${styles.check}`}>
            On paper this line is 50 mm long. If it is not, print again at 100 %.
          </p>
        </div>
        <dl className={styles.facts}>
          <dt>Size</dt>
          <dd>
            {PLAQUE.widthMm} × {PLAQUE.heightMm} mm. Leave a {PLAQUE.edgeMm} mm margin on every side.
          </dd>
          <dt>QR code</dt>
          <dd>
            {codeMm} × {codeMm} mm, in squares of {moduleMm} mm, error correction Q. Keep at least{' '}
            {(WHITE_MODULES * moduleMm).toFixed(1)} mm around it white, with no frame, screws or lettering.
          </dd>
          <dt>Colours</dt>
          <dd>
            Black on white, or as much contrast as the material allows. Never light squares on a dark ground:
            many phones do not read that.
          </dd>
          <dt>Material</dt>
          <dd>A matt surface. Shiny surfaces reflect the sky, and phones can’t read the code.</dd>
          <dt>Depth</dt>
          <dd>Deep enough to hold black paint. The corners of the squares stay sharp.</dd>
          <dt>Letters</dt>
          <dd>
            {plaque.isOutlined
              ? 'In the file they are outlines: no font is needed.'
              : 'In the file they are text. Set them in a font that has them all, and show the family a proof.'}
          </dd>
          <dt>What the code opens</dt>
          <dd className={styles.url}>{plaque.url}</dd>
          <dt>Scan it before you engrave</dt>
          <dd>
            Point a phone at the code on this sheet before anything is cut, and at the plaque before it leaves
            you. Both times the phone must show this address, letter for letter.
          </dd>
          <dt>Approved by the family</dt>
          <dd className={`small-muted ${styles.sign}`}>Name and date</dd>
        </dl>
      </div>
    </section>
  )
}
