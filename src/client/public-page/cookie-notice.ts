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
