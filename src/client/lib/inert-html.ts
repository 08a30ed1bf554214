type TrustedTypes = {
  createPolicy: (
    name: string,
    rules: { createHTML: (html: string) => string },
  ) => {
    createHTML: (html: string) => string
  }
}

/** The only place where text becomes HTML; the CSP's `trusted-types` names this policy. Nothing of it enters the page. */
const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('inert-html', {
  createHTML: (html) => html,
})

/** Parses HTML into a separate document, in which nothing loads or runs. */
export function parseInert(html: string): HTMLElement {
  const trusted = policy ? policy.createHTML(html) : html
  return new DOMParser().parseFromString(trusted, 'text/html').body
}
