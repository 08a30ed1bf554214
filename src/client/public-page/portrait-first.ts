import { requestIdle } from '#client/lib/idle.ts'

/**
 * Lets what stands further down come once the portrait has: until then the line is its own, and pictures and messages are
 * laid out in a task each.
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
