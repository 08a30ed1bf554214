import { startApp } from './start-app.ts'
import { isHydrated } from './toggle-in-place.ts'

/** Plays a video in place without loading the app. If it doesn't play, the app explains why. */
export function playInPlace(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-play]')) {
    const video = form.parentElement?.querySelector('video')
    if (!video) continue
    video.controls = false
    form.addEventListener('submit', (event) => {
      if (isHydrated()) return
      event.preventDefault()
      video.controls = true
      form.hidden = true
      video.play().catch(() => explain(form))
      video.focus()
    })
    video.addEventListener('playing', () => {
      const poster = form.parentElement?.querySelector<HTMLElement>('img')
      if (poster && !isHydrated()) poster.hidden = true
    })
  }
}

/** Loads the app, which tries again and shows the error. */
async function explain(form: HTMLFormElement): Promise<void> {
  form.hidden = false
  if (await startApp()) form.requestSubmit()
}
