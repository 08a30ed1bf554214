import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Plugin, Rolldown } from 'vite'

/** The document that gets the style, and the module whose style it is. */
const DOCUMENT = 'memorial.html'
const MODULE = 'src/client/public-page/take-over.tsx'
const PLACE = '<!--style-->'
/** On a phone's line three fonts hold the portrait up for a second, and come too late to be used: its own serif does. */
const FONT_FACE = /@font-face\s*\{[^}]*\}/gu

type Built = Rolldown.OutputBundle

/**
 * Writes all style that a public memorial needs into its document, so that it is drawn without another request: that of
 * the app which takes the page over, and of what it loads with itself.
 */
export function criticalStyle(): Plugin {
  return {
    name: 'critical-style',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'client',
    writeBundle({ dir }, bundle) {
      if (dir === undefined) throw new Error('the client is built into a folder')
      const path = resolve(dir, DOCUMENT)
      const html = readFileSync(path, 'utf8')
      if (!html.includes(PLACE)) throw new Error(`${DOCUMENT} has no place for its style`)
      writeFileSync(
        path,
        html.replace(PLACE, () => `<style>${styleOf(bundle)}</style>${namesOf(bundle)}`),
      )
    },
  }
}

function styleOf(bundle: Built): string {
  const styles = [...sheetsOf(bundle)].map((name) => {
    const sheet = bundle[name]
    if (sheet?.type !== 'asset') throw new Error(`${name} was not built`)
    return String(sheet.source).trim()
  })
  const style = styles.join('').replaceAll(FONT_FACE, (face) => `@media (min-width:60rem){${face}}`)
  if (style.includes('</')) throw new Error('a style cannot hold HTML')
  return style
}

/**
 * The same sheets by name, not to be loaded (`disabled`): Vite's loader finds them in the document and does not bring them
 * again with the app. Fonts that were not there in time would come with them, and the words would move.
 */
function namesOf(bundle: Built): string {
  return [...sheetsOf(bundle)]
    .map((name) => `<link rel="stylesheet" crossorigin href="/${name}" disabled>`)
    .join('')
}

/** In the order in which they are loaded. */
function sheetsOf(bundle: Built): Set<string> {
  const entry = Object.values(bundle).find(
    (chunk) => chunk.type === 'chunk' && chunk.facadeModuleId?.endsWith(MODULE),
  )
  if (!entry) throw new Error(`${MODULE} has no chunk of its own`)
  const sheets = new Set<string>()
  const seen = new Set<string>()
  const visit = (name: string) => {
    const chunk = bundle[name]
    if (chunk?.type !== 'chunk' || seen.has(name)) return
    seen.add(name)
    for (const imported of chunk.imports) visit(imported)
    for (const sheet of chunk.viteMetadata?.importedCss ?? []) sheets.add(sheet)
  }
  visit(entry.fileName)
  return sheets
}
