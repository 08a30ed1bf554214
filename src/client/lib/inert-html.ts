type TrustedTypes = {
  createPolicy: (
    name: string,
    rules: { createHTML: (html: string) => string },
  ) => {
    createHTML: (html: string) => string
  }
}

/**
 * The one door through which text becomes HTML where the browser knows Trusted Types (the name stands in `trusted-types` of
 * our CSP). Nothing read here is put into the page as it is.
 */
const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('inert-html', {
  createHTML: (html) => html,
})

/** HTML as elements of a document of their own, where nothing loads and nothing runs. */
export function parseInert(html: string): HTMLElement {
  const trusted = policy ? policy.createHTML(html) : html
  return new DOMParser().parseFromString(trusted, 'text/html').body
}
