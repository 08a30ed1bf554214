import type { Env } from '#worker/platform/env.ts'
import { sha256Base64 } from '#worker/platform/bytes.ts'

/** The documents that are built to be filled here. */
type WrittenDocument = 'memorial.html' | 'home.html'
/** The parts of a document as it was built, and what its policy must let in. */
type Template = { parts: [string, string, string]; styleHash: string }
type Templates = { full: Template; lite: Template }

const PLACES = ['<!--head-->', '<!--body-->'] as const
const STYLE = /<style>([\s\S]*?)<\/style>/u
const FONT_FACE = /@media \(min-width:\s?60rem\)\{@font-face\s*\{[^}]*\}\}|@font-face\s*\{[^}]*\}/gu
/** What somebody who uses less data does without: scripts, fonts, and what announces them. */
const EXTRAS = /<script\b[^>]*><\/script>|<link\b[^>]*\brel="(?:preload|modulepreload|stylesheet)"[^>]*>/gu

/** What a script would take back. */
const WAITING = ' data-portrait="coming"'

/** Kept for as long as the isolate lives: a deployment never changes its files. */
const templates = new Map<WrittenDocument, Templates>()

/** What goes into a document: HTML of its head and its body, and rules of style that belong to it. */
export type Filling = { head: string; body: string; styles: string }

/** A document, filled; `styleHashes` are those of its styles, for `style-src`. */
export async function fillDocument(
  env: Env,
  name: WrittenDocument,
  { head, body, styles }: Filling,
  isDataSaver: boolean,
): Promise<{ html: string; styleHashes: string[] }> {
  const known = templates.get(name) ?? (await readTemplates(env, name))
  templates.set(name, known)
  const { parts, styleHash } = isDataSaver ? known.lite : known.full
  const styleHashes = [styleHash]
  let sheet = ''
  if (styles !== '') {
    sheet = `<style>${styles}</style>`
    styleHashes.push(await sha256Base64(styles))
  }
  return { html: `${parts[0]}${head}${sheet}${parts[1]}${body}${parts[2]}`, styleHashes }
}

async function readTemplates(env: Env, name: WrittenDocument): Promise<Templates> {
  const answer = await env.ASSETS.fetch(new Request(`https://assets.invalid/${name}`))
  const html = await answer.text()
  if (!html.trimEnd().endsWith('</html>')) throw new Error(`${name} did not come whole`)
  const lite = html
    .replace(WAITING, '')
    .replaceAll(EXTRAS, '')
    .replace(STYLE, (style) => style.replaceAll(FONT_FACE, ''))
  return { full: await toTemplate(name, html), lite: await toTemplate(name, lite) }
}

async function toTemplate(name: WrittenDocument, html: string): Promise<Template> {
  const style = STYLE.exec(html)?.[1]
  if (style === undefined) throw new Error(`${name} has no style`)
  const [head, body] = PLACES.map((place) => html.indexOf(place))
  if (head === undefined || body === undefined || head < 0 || body < head)
    throw new Error(`${name} has not its two places`)
  return {
    parts: [
      html.slice(0, head),
      html.slice(head + PLACES[0].length, body),
      html.slice(body + PLACES[1].length),
    ],
    styleHash: await sha256Base64(style),
  }
}
