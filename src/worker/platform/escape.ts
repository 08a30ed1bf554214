// eslint-disable-next-line no-control-regex -- finding control characters is the purpose
const NOT_IN_TEXT = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/gu
const HALF = /\p{Surrogate}/gu
const IN_HTML: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Any text as it may stand in an attribute between quotes or as the text of an element. One line of whole characters. */
export function escapeHtml(text: string): string {
  return text
    .replace(HALF, '\ufffd')
    .replace(NOT_IN_TEXT, ' ')
    .replace(/[&<>"']/gu, (found) => IN_HTML[found] ?? '')
}

/** As {@link escapeHtml}, but line breaks stay. */
export function escapeLines(text: string): string {
  return text.split('\n').map(escapeHtml).join('\n')
}

/**
 * JSON as it may stand in a script element: no text in it can end the element or begin a comment
 * (https://html.spec.whatwg.org/multipage/scripting.html#restrictions-for-contents-of-script-elements).
 */
export function escapeJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/gu,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
