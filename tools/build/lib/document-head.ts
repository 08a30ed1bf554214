import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'

const HEAD = new URL('../../../src/client/document-head.html', import.meta.url)
const PLACEHOLDER = '<!--all-->'

/** Inserts the common head into each document, before Vite resolves the files that it links to. */
export function documentHead(): Plugin {
  return {
    name: 'document-head',
    transformIndexHtml: {
      order: 'pre',
      handler(html, { path }) {
        if (!html.includes(PLACEHOLDER)) throw new Error(`${path}: missing ${PLACEHOLDER}`)
        return html.replace(PLACEHOLDER, () => readFileSync(HEAD, 'utf8').trim())
      },
    },
  }
}
