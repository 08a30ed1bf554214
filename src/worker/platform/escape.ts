// eslint-disable-next-line no-control-regex -- finding control characters is the purpose
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/gu
const LONE_SURROGATE = /\p{Surrogate}/gu
const IN_HTML: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes text for a quoted attribute or the content of an element. Returns one line of valid characters. */
export function escapeHtml(text: string): string {
  return text
    .replace(LONE_SURROGATE, '\ufffd')
    .replace(CONTROL_CHARACTERS, ' ')
    .replace(/[&<>"']/gu, (found) => IN_HTML[found] ?? '')
}

/** Like {@link escapeHtml}, but keeps line breaks. */
export function escapeLines(text: string): string {
  return text.split('\n').map(escapeHtml).join('\n')
}

/** JSON for a script element: no string in it can end the element or start a comment. */
export function escapeJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/gu,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
