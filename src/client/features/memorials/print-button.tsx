import { useId, useState } from 'react'
import { Button } from '#client/ui/button.tsx'
import styles from './print-button.module.css'

/** How wide a picture stands on A5 and A4 at the most. */
const ON_PAPER = '120mm'

/** Prints the memorial as a booklet, with every picture of this page: also those that nobody has scrolled to. */
export function PrintButton() {
  const hintId = useId()
  const [isBusy, setBusy] = useState(false)
  async function print() {
    setBusy(true)
    await bringPictures()
    setBusy(false)
    window.print()
  }
  return (
    <>
      <Button
        aria-describedby={hintId}
        aria-busy={isBusy}
        aria-disabled={isBusy}
        onClick={() => {
          if (!isBusy) void print()
        }}
      >
        Print as a booklet
      </Button>
      <p id={hintId} className={styles.hint}>
        The booklet has what is open on this page. Open all photos and messages first.
      </p>
    </>
  )
}

/** Waits until every picture has come, in a size for paper. One that does not come is left out. */
async function bringPictures(): Promise<void> {
  const pictures = [...document.querySelectorAll<HTMLImageElement>('main img')]
  for (const picture of pictures) {
    picture.loading = 'eager'
    if (picture.srcset !== '') picture.sizes = ON_PAPER
  }
  await Promise.allSettled(pictures.map((picture) => picture.decode()))
}
