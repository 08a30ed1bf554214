import { requestIdle } from '#client/lib/idle.ts'

/**
 * Delays the content further down until the portrait has loaded. Until then the portrait gets the whole bandwidth,
 * and images and comments get separate layout tasks.
 */
export function delayUntilPortrait(): void {
  const { dataset } = document.documentElement
  const release = () => {
    dataset['portrait'] = 'here'
    requestIdle(() => delete dataset['portrait'])
  }
  const portrait = document.querySelector<HTMLImageElement>('img[fetchpriority="high"]')
  if (!portrait || portrait.complete) {
    release()
    return
  }
  portrait.addEventListener('load', release, { once: true })
  portrait.addEventListener('error', release, { once: true })
}
