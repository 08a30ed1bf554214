import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Plugin, Rolldown } from 'vite'

/** A document that the Worker writes, and the modules whose style it gets, in this order. */
type Written = { document: string; modules: string[]; isTakenOver: boolean }
const DOCUMENTS: Written[] = [
  { document: 'memorial.html', modules: ['src/client/public-page/hydrate-app.tsx'], isTakenOver: true },
  // As the app draws it.
  { document: 'home.html', modules: ['index.html', 'src/client/pages/home.tsx'], isTakenOver: false },
]
const PLACE = '<!--style-->'
/** On a phone's line three fonts hold the portrait up for a second, and come too late to be used: its own serif does. */
const WIDE = '(min-width: 60rem)'
const FONT_FACE = /@font-face\s*\{[^}]*\}/gu
const FONT_LINK = ' as="font"'

type Built = Rolldown.OutputBundle

/**
 * Writes all style that a page needs into its document, so that it is drawn without another request: that of the app's
 * modules which draw it, and of what they load with themselves.
 */
export function criticalStyle(): Plugin {
  return {
    name: 'critical-style',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'client',
    writeBundle({ dir }, bundle) {
      if (dir === undefined) throw new Error('the client is built into a folder')
      for (const written of DOCUMENTS) {
        const path = resolve(dir, written.document)
        writeFileSync(path, withStyle(written, readFileSync(path, 'utf8'), bundle))
      }
    },
  }
}

function withStyle({ document, modules, isTakenOver }: Written, html: string, bundle: Built): string {
  if (!html.includes(PLACE)) throw new Error(`${document} has no place for its style`)
  if (!html.includes(FONT_LINK)) throw new Error(`${document} announces no font`)
  const sheets = sheetsOf(bundle, modules)
  const names = isTakenOver ? namesOf(sheets) : ''
  return html
    .replace(FONT_LINK, `${FONT_LINK} media="${WIDE}"`)
    .replace(PLACE, () => `<style>${styleOf(sheets, bundle)}</style>${names}`)
}

function styleOf(sheets: Set<string>, bundle: Built): string {
  const styles = [...sheets].map((name) => {
    const sheet = bundle[name]
    if (sheet?.type !== 'asset') throw new Error(`${name} was not built`)
    return String(sheet.source).trim()
  })
  const style = styles.join('').replaceAll(FONT_FACE, (face) => `@media ${WIDE}{${face}}`)
  if (style.includes('</')) throw new Error('a style cannot hold HTML')
  return style
}

/**
 * The same sheets by name, not to be loaded (`disabled`): Vite's loader finds them in the document and does not bring them
 * again with the app. Fonts that were not there in time would come with them, and the words would move.
 */
function namesOf(sheets: Set<string>): string {
  return [...sheets].map((name) => `<link rel="stylesheet" crossorigin href="/${name}" disabled>`).join('')
}

/** In the order in which they are loaded. */
function sheetsOf(bundle: Built, modules: string[]): Set<string> {
  const sheets = new Set<string>()
  const seen = new Set<string>()
  const visit = (name: string) => {
    const chunk = bundle[name]
    if (chunk?.type !== 'chunk' || seen.has(name)) return
    seen.add(name)
    for (const imported of chunk.imports) visit(imported)
    for (const sheet of chunk.viteMetadata?.importedCss ?? []) sheets.add(sheet)
  }
  for (const module of modules) {
    const entry = Object.values(bundle).find(
      (chunk) => chunk.type === 'chunk' && chunk.facadeModuleId?.endsWith(`/${module}`),
    )
    if (!entry) throw new Error(`${module} has no chunk of its own`)
    visit(entry.fileName)
  }
  return sheets
}
