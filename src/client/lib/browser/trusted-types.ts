/** Not supported by every browser, and missing in TypeScript's types. */
type Rules = { createHTML?: (html: string) => string; createScriptURL?: (url: string) => string }
type TrustedTypes = { createPolicy: (name: string, rules: Rules) => Required<Rules> }

const SERVICE_WORKER = '/sw.js'

/**
 * Our Trusted Types policies; the CSP names them, and allows each name once. Every page's first script creates them, so that
 * no later script can take a name. Without support, text and URLs stay as they are.
 */
const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
const html = trustedTypes?.createPolicy('inert-html', { createHTML: (text) => text })
const script = trustedTypes?.createPolicy('service-worker', { createScriptURL: () => SERVICE_WORKER })

/** HTML for {@link parseInert} only: nothing of it enters the page. */
export const toInertHtml = (text: string): string => html?.createHTML(text) ?? text

/** The only script URL that a page may give to the browser. */
export const serviceWorkerUrl = (): string => script?.createScriptURL(SERVICE_WORKER) ?? SERVICE_WORKER
