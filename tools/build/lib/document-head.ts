import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'

const HEAD = new URL('../../../src/client/document-head.html', import.meta.url)
const PLACE = '<!--all-->'

/** Puts what all documents say of themselves into each, before Vite looks for the files that it names. */
export function documentHead(): Plugin {
  return {
    name: 'document-head',
    transformIndexHtml: {
      order: 'pre',
      handler(html, { path }) {
        if (!html.includes(PLACE)) throw new Error(`${path} has no place for its head`)
        return html.replace(PLACE, () => readFileSync(HEAD, 'utf8').trim())
      },
    },
  }
}
