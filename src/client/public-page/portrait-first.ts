import { requestIdle } from '#client/lib/idle.ts'

/**
 * Delays the content further down until the portrait has loaded. Until then the portrait gets the whole bandwidth,
 * and images and comments get separate layout tasks.
 */
export function portraitFirst(): void {
  const { dataset } = document.documentElement
  const go = () => {
    dataset['portrait'] = 'here'
    requestIdle(() => delete dataset['portrait'])
  }
  const portrait = document.querySelector<HTMLImageElement>('img[fetchpriority="high"]')
  if (!portrait || portrait.complete) {
    go()
    return
  }
  portrait.addEventListener('load', go, { once: true })
  portrait.addEventListener('error', go, { once: true })
}
