/** What a reader does first on the page: scrolls, touches, or uses the keyboard or a screen reader. */
const ACTIONS = ['scroll', 'pointerdown', 'keydown', 'focusin', 'click'] as const

/**
 * Images that are not on the screen wait until the reader does something: on a slow connection a browser loads lazy images
 * 2,500 pixels ahead, and everybody would pay for the gallery who only looks in.
 */
export function delayImagesBelow(): void {
  const { dataset } = document.documentElement
  const images = [...document.querySelectorAll<HTMLImageElement>('main img[loading="lazy"]')]
  // The reader was faster, or this browser doesn't wait for the portrait.
  if (window.scrollY > 0 || images.some(({ currentSrc }) => currentSrc !== '')) return
  dataset['below'] = 'waiting'
  const release = () => {
    delete dataset['below']
    observer.disconnect()
    for (const action of ACTIONS) window.removeEventListener(action, release)
  }
  const observer = new IntersectionObserver((entries) => {
    if (entries.some(({ isIntersecting }) => isIntersecting)) release()
  })
  // They themselves are clipped away.
  for (const { parentElement } of images) if (parentElement) observer.observe(parentElement)
  for (const action of ACTIONS) window.addEventListener(action, release, { passive: true })
}
