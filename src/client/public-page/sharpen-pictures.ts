/** Takes the soft picture away from behind a picture that has come: what is drawn on nothing would let it shine through. */
export function sharpenPictures(): void {
  const sharpen = (target: EventTarget | null) => {
    if (!(target instanceof HTMLImageElement)) return
    const soft = Array.from(target.classList).filter((name) => name.startsWith('soft-'))
    target.classList.remove(...soft)
  }
  document.addEventListener('load', ({ target }) => sharpen(target), true)
  for (const image of document.images) if (image.complete && image.naturalWidth > 0) sharpen(image)
}
