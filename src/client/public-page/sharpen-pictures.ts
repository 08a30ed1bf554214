/**
 * Removes the placeholder behind an image that has loaded, because it would shine through transparent areas. Hides
 * optional images that fail to load.
 */
export function removePlaceholders(): void {
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
    // A lazy image that is still far from the viewport has no source yet.
    else if (image.currentSrc !== '') drop(image)
  }
}
