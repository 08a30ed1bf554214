import { startApp } from './start-app.ts'
import { isAppHere } from './toggle-in-place.ts'

/** Plays a video where it stands, without waiting for the app; one that does not play is explained by it. */
export function playInPlace(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-play]')) {
    const video = form.parentElement?.querySelector('video')
    if (!video) continue
    video.controls = false
    form.addEventListener('submit', (event) => {
      if (isAppHere()) return
      event.preventDefault()
      video.controls = true
      form.hidden = true
      video.play().catch(() => explain(form))
      video.focus()
    })
    video.addEventListener('playing', () => {
      const poster = form.parentElement?.querySelector<HTMLElement>('img')
      if (poster && !isAppHere()) poster.hidden = true
    })
  }
}

/** The app tries once more and says what is wrong. */
async function explain(form: HTMLFormElement): Promise<void> {
  form.hidden = false
  if (await startApp()) form.requestSubmit()
}
