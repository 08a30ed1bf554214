/**
 * Takes the soft picture away from behind a picture that has come: what is drawn on nothing would let it shine through. One
 * that does not come, and that words stand beside, goes itself.
 */
export function sharpenPictures(): void {
  const sharpen = (target: EventTarget | null) => {
    if (!(target instanceof HTMLImageElement)) return
    const soft = Array.from(target.classList).filter((name) => name.startsWith('soft-'))
    target.classList.remove(...soft)
  }
  const drop = (target: EventTarget | null) => {
    if (target instanceof HTMLImageElement && 'optional' in target.dataset) target.hidden = true
  }
  document.addEventListener('load', ({ target }) => sharpen(target), true)
  document.addEventListener('error', ({ target }) => drop(target), true)
  for (const image of document.images) {
    if (!image.complete) continue
    if (image.naturalWidth > 0) sharpen(image)
    // A picture that nobody has come near has no source yet.
    else if (image.currentSrc !== '') drop(image)
  }
}
