import type { Env } from '#worker/env.ts'
import { escapeHtml } from '#worker/features/previews/escape.ts'
import { sha256Base64 } from '#worker/platform/bytes.ts'

/** The parts of `memorial.html` as it was built, and what its policy must let in. */
type Template = { parts: [string, string, string, string]; styleHash: string }
type Templates = { full: Template; lite: Template }

const PLACES = ['<!--head-->', '<!--still-->', '<!--app-->'] as const
const STYLE = /<style>([\s\S]*?)<\/style>/u
const FONT_FACE = /@media \(min-width:60rem\)\{@font-face\s*\{[^}]*\}\}|@font-face\s*\{[^}]*\}/gu
/** What somebody who uses less data does without: scripts, fonts, and what announces them. */
const EXTRAS = /<script\b[^>]*><\/script>|<link\b[^>]*\brel="(?:preload|modulepreload|stylesheet)"[^>]*>/gu

/** What a script would take back. */
const WAITING = ' data-portrait="coming"'

/** Kept for as long as the isolate lives: a deployment never changes its files. */
let templates: Templates | null = null

/** What goes into the document, each HTML but `styles`. */
export type Filling = {
  head: string
  still: string
  app: string
  styles: string
  /** For the script: the address of what is shown, and what it must know of this deployment. */
  view: string
  config: string
}

/** The document of a public memorial, filled; `styleHashes` are those of its styles, for `style-src`. */
export async function fillMemorialDocument(
  env: Env,
  { head, still, app, styles, view, config }: Filling,
  isLite: boolean,
): Promise<{ html: string; styleHashes: string[] }> {
  templates ??= await readTemplates(env)
  const { full, lite } = templates
  const { parts, styleHash } = isLite ? lite : full
  const styleHashes = [styleHash]
  let sheet = ''
  if (styles !== '') {
    sheet = `<style>${styles}</style>`
    styleHashes.push(await sha256Base64(styles))
  }
  const root = parts[2].replace(
    'id="root"',
    () => `id="root" data-view="${escapeHtml(view)}" data-config="${escapeHtml(config)}"`,
  )
  return { html: `${parts[0]}${head}${sheet}${parts[1]}${still}${root}${app}${parts[3]}`, styleHashes }
}

async function readTemplates(env: Env): Promise<Templates> {
  const answer = await env.ASSETS.fetch(new Request('https://assets.invalid/memorial.html'))
  const html = await answer.text()
  if (!html.trimEnd().endsWith('</html>')) throw new Error("the memorial's document did not come whole")
  const lite = html
    .replace(WAITING, '')
    .replaceAll(EXTRAS, '')
    .replace(STYLE, (style) => style.replaceAll(FONT_FACE, ''))
  return { full: await toTemplate(html), lite: await toTemplate(lite) }
}

async function toTemplate(html: string): Promise<Template> {
  const style = STYLE.exec(html)?.[1]
  if (style === undefined) throw new Error("the memorial's document has no style")
  const [first, second, third] = PLACES.map((place) => html.indexOf(place))
  if (
    first === undefined ||
    second === undefined ||
    third === undefined ||
    first < 0 ||
    second < first ||
    third < second
  )
    throw new Error("the memorial's document has not its three places")
  return {
    parts: [
      html.slice(0, first),
      html.slice(first + PLACES[0].length, second),
      html.slice(second + PLACES[1].length, third),
      html.slice(third + PLACES[2].length),
    ],
    styleHash: await sha256Base64(style),
  }
}
