/**
 * Notes the fields and buttons of a page's forms. Where the page is older than its data, React renders parts of it again.
 * The returned function, called after that, gives the new fields what somebody had typed or chosen, and the focus, and
 * repeats the press of a button that was waiting for the app.
 */
export function noteForms(root: HTMLElement): () => void {
  const fields = [...root.querySelectorAll<HTMLInputElement>('form[id] [name]')]
  const buttons = [...root.querySelectorAll('form button')]
  let focused: EventTarget | null = document.activeElement
  const noteFocus = ({ target }: FocusEvent) => {
    focused = target
  }
  root.addEventListener('focusin', noteFocus)
  return () => {
    root.removeEventListener('focusin', noteFocus)
    for (const old of fields) {
      const { form, name, type, value, checked } = old
      const now = form && document.forms.namedItem(form.id)?.elements.namedItem(name)
      if (old.isConnected || !now) continue
      // A list of radio buttons takes a value, too.
      if (type !== 'radio' || checked) Object.assign(now, { value, checked })
      if (old === focused && now instanceof HTMLElement) now.focus({ preventScroll: true })
    }
    const pressed = buttons.find(({ isConnected, ariaBusy }) => !isConnected && ariaBusy === 'true')
    if (!pressed) return
    const now = [...root.querySelectorAll<HTMLElement>('form button')]
    now.find((button) => labelOf(button) === labelOf(pressed))?.click()
  }
}

/** What a button says, without numbers, which may have changed. */
function labelOf({ ariaLabel, textContent }: Element): string {
  return `${ariaLabel} ${textContent}`.replaceAll(/\d/gu, '')
}
