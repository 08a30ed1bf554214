/** Lets the pictures further down come once the portrait has: until then the line is its own. */
export function portraitFirst(): void {
  const go = () => document.documentElement.removeAttribute('data-portrait')
  const portrait = document.querySelector<HTMLImageElement>('img[fetchpriority="high"]')
  if (!portrait || portrait.complete) {
    go()
    return
  }
  portrait.addEventListener('load', go, { once: true })
  portrait.addEventListener('error', go, { once: true })
}
