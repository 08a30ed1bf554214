import { COOKIE_CONSENT, readText, writeText } from '#client/lib/stored-text.ts'

/** Shows the cookie notice if it wasn't answered yet, and stores the answer. */
export function answerCookieNotice(): void {
  const notice = document.querySelector<HTMLElement>('[data-cookies]')
  if (!notice || readText(COOKIE_CONSENT) !== null) return
  notice.hidden = false
  for (const button of notice.querySelectorAll<HTMLElement>('[data-consent]')) {
    button.addEventListener('click', () => {
      writeText(COOKIE_CONSENT, button.dataset['consent'] ?? '')
      notice.hidden = true
    })
  }
}

/** Buttons that open and close the element in their `aria-controls`: the menu, and the rest of a long story. */
export function toggleInPlace(): void {
  for (const button of document.querySelectorAll<HTMLElement>('[data-toggle]')) {
    const controlled = document.getElementById(button.getAttribute('aria-controls') ?? '')
    if (!controlled) continue
    const show = (isOpen: boolean) => {
      button.setAttribute('aria-expanded', String(isOpen))
      controlled.hidden = !isOpen
    }
    button.addEventListener('click', () => {
      if (isHydrated()) return
      const isOpen = button.getAttribute('aria-expanded') === 'true'
      show(!isOpen)
      // Closing removes text above the button, which would move it out of view.
      if (isOpen) button.scrollIntoView({ block: 'nearest' })
    })
    if (controlled.localName !== 'nav') continue
    document.addEventListener('keydown', ({ key }) => {
      if (key !== 'Escape' || isHydrated() || controlled.hidden) return
      show(false)
      button.focus()
    })
  }
}

/** True once the app is hydrated; it then handles all events. */
export function isHydrated(): boolean {
  return document.documentElement.dataset['app'] === 'here'
}
