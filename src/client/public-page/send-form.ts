/** After this time, in ms, a form that the browser was sending counts as stopped. */
const STOPPED_MS = 20_000

/**
 * Lets the browser send a form, as a press on this button would. Until the page goes, further presses on the form do nothing: the
 * app may have come meanwhile, and would send it once more.
 */
export function sendForm(form: HTMLFormElement, button: HTMLButtonElement | null): void {
  const addAnswer = ({ formData }: FormDataEvent) => {
    if (button?.name) formData.set(button.name, button.value)
  }
  form.addEventListener('formdata', addAnswer, { once: true })
  form.submit()
  form.inert = true
  const stop = () => {
    form.inert = false
  }
  // The person may have stopped it, or come back. A page that hadn't loaded to its end says only that it has.
  setTimeout(stop, STOPPED_MS)
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) stop()
  })
}
