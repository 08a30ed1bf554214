import { toInertHtml } from './trusted-types.ts'

/** Parses HTML into a separate document, in which nothing loads or runs. The only place where text becomes HTML. */
export function parseInert(html: string): HTMLElement {
  return new DOMParser().parseFromString(toInertHtml(html), 'text/html').body
}
