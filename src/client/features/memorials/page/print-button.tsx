import { useId, useState } from 'react'
import { loadLazyImages } from '#client/lib/browser/print-images.ts'
import { Button } from '#client/ui/button.tsx'
import styles from './print-button.module.css'

/** Largest width of an image on A5 and A4 paper. */
const ON_PAPER = '120mm'

/** Prints the memorial as a booklet, with every image of the page, including those not scrolled to yet. */
export function PrintButton() {
  const hintId = useId()
  const [isBusy, setBusy] = useState(false)
  async function print() {
    setBusy(true)
    await Promise.all([loadImages(), loadFonts()])
    setBusy(false)
    window.print()
  }
  return (
    <>
      <Button aria-describedby={hintId} aria-busy={isBusy} isBusy={isBusy} onClick={() => void print()}>
        Print as a booklet
      </Button>
      <p id={hintId} className={`small-muted ${styles.hint}`}>
        Only what is showing on the page will print. Tap “See all” first.
      </p>
    </>
  )
}

/** Loads the fonts of the booklet, which phones otherwise do without. One that fails is replaced by another serif. */
async function loadFonts(): Promise<void> {
  const fonts = ["400 1em 'Source Serif 4'", "italic 400 1em 'Source Serif 4'", "400 1em 'Source Sans 3'"]
  await Promise.allSettled(fonts.map((font) => document.fonts.load(font)))
}

/** Loads every image in a size for paper, and waits for all of them. An image that fails is left out. */
async function loadImages(): Promise<void> {
  const images = loadLazyImages()
  for (const image of images) if (image.srcset !== '') image.sizes = ON_PAPER
  await Promise.allSettled(images.map((image) => image.decode()))
}
