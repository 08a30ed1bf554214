import { messages, withoutScriptMessages as texts } from '#shared/messages.ts'
import { isAppPath, paths } from '#shared/pages/pages.ts'
import { SITE_NAME } from '#shared/site-name.ts'
import { escapeHtml } from '#worker/platform/escape.ts'

const MEMORIAL = /^\/m\//u
const { system } = messages

/**
 * Fonts and colours come from the app's style sheet. Waits while scripts may still load: the app removes these words. The wait is an
 * animation only by name, so it holds for readers who want no motion, too.
 */
export const WITHOUT_SCRIPT_STYLE = `#without-script{max-width:36rem;margin:0 auto;padding:1rem 1rem 4rem;animation:without-script 10s !important}
@keyframes without-script{from,to{visibility:hidden}}
#without-script h1,
#without-script p{margin:1rem 0}
#without-script a{display:inline-block;margin-right:1.5rem;padding:.625rem 0}
#without-script .brand{color:inherit;font:600 1.0625rem/1.5 var(--headings);text-decoration:none}
@media(scripting:none){#without-script{animation:none !important}#without-script .late{display:none}}`

/**
 * What the app's document says while its script is switched off or lost. `isRead`: the database has answered. The path's kind alone
 * decides: a memorial that isn't public and one that doesn't exist get the same bytes.
 */
export function withoutScript(pathname: string, isRead: boolean): string {
  const brand = `<a class="brand" href="${paths.home}">${SITE_NAME}</a>`
  const late = `<p class="late">${system.slow}</p>`
  const links = `<p><a class="late" href="">${texts.tryAgain}</a><a href="${paths.home}">${texts.home}</a></p>`
  return `<main id="without-script">${brand}${wordsFor(pathname, isRead)}${late}${links}</main>`
}

function wordsFor(pathname: string, isRead: boolean): string {
  const say = (title: string, text: string) => `<h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>`
  if (isRead && MEMORIAL.test(pathname)) {
    const signIn = `<noscript><p>${escapeHtml(texts.memorialSignIn)}</p></noscript>`
    return say(texts.memorialTitle, texts.memorialText) + signIn
  }
  const isKnown = MEMORIAL.test(pathname) || isAppPath(pathname)
  return `<noscript>${isKnown ? say(texts.title, texts.text) : say(system.pageNotFound, texts.notFound)}</noscript>`
}
