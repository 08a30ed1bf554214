import { PLAQUE } from '#shared/limits.ts'
import type { Plaque } from '#shared/location.ts'
import { svgDataUri } from '#client/lib/picture-files.ts'
import styles from './order-sheet.module.css'

const WHITE_MODULES = 4

/** One printable page for the engraver: the plaque at its true size, and everything needed to make it. */
export function OrderSheet({ plaque, name }: { plaque: Plaque; name: string }) {
  const { widthMm, heightMm, codeMm, moduleMm } = plaque
  return (
    <section className={styles.sheet} aria-labelledby="order-title">
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
          <p className={styles.check}>
            On paper this line is 50 mm long. If it is not, print again at 100 %.
          </p>
        </div>
        <dl className={styles.facts}>
          <dt>Size</dt>
          <dd>
            {PLAQUE.widthMm} × {PLAQUE.heightMm} mm. The outer {PLAQUE.edgeMm} mm are free on every side.
          </dd>
          <dt>QR code</dt>
          <dd>
            {codeMm} × {codeMm} mm, in squares of {moduleMm} mm, error correction Q. Keep at least{' '}
            {(WHITE_MODULES * moduleMm).toFixed(1)} mm around it white: no frame, no screw, no letter.
          </dd>
          <dt>Colours</dt>
          <dd>
            Black on white, or as dark on as light as the material allows. Never light squares on a dark
            ground: many phones do not read that.
          </dd>
          <dt>Material</dt>
          <dd>A matt surface. What shines mirrors the sky, and the phone sees the sky.</dd>
          <dt>Depth</dt>
          <dd>Deep enough to hold black paint. The corners of the squares stay sharp.</dd>
          <dt>Letters</dt>
          <dd>
            {plaque.isOutlined
              ? 'In the file they are outlines: no font is needed.'
              : 'In the file they are text. Set them in a font that has them all, and show the family a proof.'}
          </dd>
          <dt>What the code opens</dt>
          <dd className={styles.address}>{plaque.url}</dd>
          <dt>Scan it before you engrave</dt>
          <dd>
            Point a phone at the code on this sheet before anything is cut, and at the plaque before it leaves
            you. Both times the phone must show this address, letter for letter.
          </dd>
          <dt>Seen and found right by the family</dt>
          <dd className={styles.sign}>Name and date</dd>
        </dl>
      </div>
    </section>
  )
}
