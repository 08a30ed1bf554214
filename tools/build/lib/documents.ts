import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Plugin, Rolldown } from 'vite'

/** A document that the Worker renders, and the modules whose styles it gets, in this order. The app may hydrate it. */
type RenderedDocument = { document: string; modules: string[]; isHydrated: boolean }
const DOCUMENTS: RenderedDocument[] = [
  { document: 'memorial.html', modules: ['src/client/public-page/hydrate-app.tsx'], isHydrated: true },
  { document: 'personal.html', modules: ['src/client/public-page/hydrate-personal.tsx'], isHydrated: true },
  { document: 'refused.html', modules: ['index.html'], isHydrated: true },
  // The same styles as in the app.
  {
    document: 'screen.html',
    modules: [
      'src/client/public-page/hydrate-screen.tsx',
      ...[
        'accounts/login',
        'accounts/register',
        'accounts/forgot-password',
        'accounts/reset-password',
        'accounts/verify-email',
        'accounts/contact',
      ].map(pageModule),
      ...[
        'accounts/request-removal',
        'memorial/report',
        'texts/faq',
        'texts/about',
        'texts/terms',
        'not-found',
        'memorial/no-memorial',
        'payment/checkout',
        'memorial/visitor-words',
        'memorial/replies',
        'memorial/reply',
        'memorial/again',
        'memorial/follow',
      ].map(pageModule),
    ],
    isHydrated: true,
  },
  { document: 'home.html', modules: ['index.html', 'src/client/pages/home.tsx'], isHydrated: false },
]

function pageModule(name: string): string {
  return `src/client/pages/${name}.tsx`
}

const STYLE_PLACEHOLDER = '<!--style-->'
/** The portrait is what visitors wait for: on a slow connection scripts before it delay it by a quarter of a second. */
const SCRIPTS = /<script type="module"|<link rel="modulepreload"/gu

type Built = Rolldown.OutputBundle

/**
 * Inlines all styles that a document needs, so that it renders without another request: the styles of the app's modules that
 * render it, and of their imports.
 */
export function criticalStyle(): Plugin {
  return {
    name: 'critical-style',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'client',
    writeBundle({ dir }, bundle) {
      if (dir === undefined) throw new Error('the client build has no output folder')
      for (const rendered of DOCUMENTS) {
        const path = resolve(dir, rendered.document)
        writeFileSync(path, withStyle(rendered, readFileSync(path, 'utf8'), bundle))
      }
    },
  }
}

function withStyle({ document, modules, isHydrated }: RenderedDocument, html: string, bundle: Built): string {
  if (!html.includes(STYLE_PLACEHOLDER)) throw new Error(`${document}: missing ${STYLE_PLACEHOLDER}`)
  const sheets = sheetsOf(bundle, modules)
  const names = isHydrated ? namesOf(sheets) : ''
  return html
    .replaceAll(SCRIPTS, '$& fetchpriority="low"')
    .replace(STYLE_PLACEHOLDER, () => `<style>${styleOf(sheets, bundle)}</style>${names}`)
}

function styleOf(sheets: Set<string>, bundle: Built): string {
  const styles = [...sheets].map((name) => {
    const sheet = bundle[name]
    if (sheet?.type !== 'asset') throw new Error(`${name} was not built`)
    return String(sheet.source).trim()
  })
  const style = styles.join('')
  if (style.includes('</')) throw new Error('a style must not contain HTML')
  return style
}

/**
 * Links to the same sheets, `disabled` so that they do not load. Vite's loader finds them in the document and does not load them
 * again with the app; otherwise late fonts would load with them and shift the text.
 */
function namesOf(sheets: Set<string>): string {
  return [...sheets].map((name) => `<link rel="stylesheet" crossorigin href="/${name}" disabled>`).join('')
}

/** The sheets of these modules, in load order. */
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
      (chunk) => chunk.type === 'chunk' && chunk.moduleIds.some((id) => id.endsWith(`/${module}`)),
    )
    if (!entry) throw new Error(`${module} is in no chunk`)
    visit(entry.fileName)
  }
  return sheets
}

const HEAD = new URL('../../../src/client/document-head.html', import.meta.url)
/** The font of the headings. In the head, browsers wait for it before they paint anything: a sixth of a second on a slow phone. */
const END = new URL('../../../src/client/document-end.html', import.meta.url)
const HEAD_PLACEHOLDER = '<!--all-->'
const END_OF_BODY = '</body>'

/** Inserts what all documents share into each, before Vite resolves the files that it links to. */
export function commonParts(): Plugin {
  const read = (part: URL) => readFileSync(part, 'utf8').trim()
  return {
    name: 'common-parts',
    transformIndexHtml: {
      order: 'pre',
      handler(html, { path }) {
        if (!html.includes(HEAD_PLACEHOLDER)) throw new Error(`${path}: missing ${HEAD_PLACEHOLDER}`)
        return html
          .replace(HEAD_PLACEHOLDER, () => read(HEAD))
          .replace(END_OF_BODY, () => read(END) + END_OF_BODY)
      },
    },
  }
}
