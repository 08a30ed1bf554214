import type { Env } from '#worker/platform/env.ts'
import { sha256Base64 } from '#worker/platform/bytes.ts'

/** Documents of the build that the Worker fills with content. */
type DocumentName = 'memorial.html' | 'home.html' | 'screen.html' | 'personal.html'
/** The parts of a built document, and the hash of its style for its Content-Security-Policy. */
type Template = { parts: [string, string, string]; styleHash: string }

const PLACEHOLDERS = ['<!--head-->', '<!--body-->'] as const
const STYLE = /<style>([\s\S]*?)<\/style>/u
const FONT_FACE = /@font-face\s*\{[^}]*\}/gu
/** What the data saver page leaves out: scripts, and links that load scripts or styles. */
const EXTRAS = /<script\b[^>]*><\/script>|<link\b[^>]*\brel="(?:preload|modulepreload|stylesheet)"[^>]*>/gu

/** What it leaves out of a page that needs its script. */
const FONTS = /<link\b[^>]*\bas="font"[^>]*>/gu

/** Only a script would remove this attribute. */
const PENDING_PORTRAIT = ' data-portrait="coming"'

/** By the binding of a deployment's files, which never change. */
const made = new WeakMap<Fetcher, Map<string, unknown>>()

/** Returns what an earlier call in this isolate has made under this key, else makes it from the deployed files. */
export async function oncePerDeployment<T>(env: Env, key: string, make: () => Promise<T>): Promise<T> {
  const values = made.get(env.ASSETS) ?? new Map<string, unknown>()
  const value = values.has(key) ? (values.get(key) as T) : await make()
  made.set(env.ASSETS, values.set(key, value))
  return value
}

/** `lite`: without script and fonts. `withoutFonts`: data saver mode on a page that needs its script. */
export type DocumentVersion = 'full' | 'lite' | 'withoutFonts'

/** Fills a document with the HTML of its head and body, and its own CSS rules. `styleHashes` are for `style-src`. */
export async function fillDocument(
  env: Env,
  name: DocumentName,
  { head, body, styles }: { head: string; body: string; styles: string },
  version: DocumentVersion,
): Promise<{ html: string; styleHashes: string[] }> {
  const templates = await oncePerDeployment(env, name, () => readTemplates(env, name))
  const { parts, styleHash } = templates[version]
  const styleHashes = [styleHash]
  let sheet = ''
  if (styles !== '') {
    sheet = `<style>${styles}</style>`
    styleHashes.push(await sha256Base64(styles))
  }
  return { html: `${parts[0]}${head}${sheet}${parts[1]}${body}${parts[2]}`, styleHashes }
}

async function readTemplates(env: Env, name: DocumentName): Promise<Record<DocumentVersion, Template>> {
  const answer = await env.ASSETS.fetch(new Request(`https://assets.invalid/${name}`))
  const html = await answer.text()
  if (!html.trimEnd().endsWith('</html>')) throw new Error(`${name} is incomplete`)
  const withoutFonts = html.replaceAll(FONTS, '').replace(STYLE, (style) => style.replaceAll(FONT_FACE, ''))
  const lite = withoutFonts.replace(PENDING_PORTRAIT, '').replaceAll(EXTRAS, '')
  return {
    full: await toTemplate(name, html),
    withoutFonts: await toTemplate(name, withoutFonts),
    lite: await toTemplate(name, lite),
  }
}

async function toTemplate(name: DocumentName, html: string): Promise<Template> {
  const style = STYLE.exec(html)?.[1]
  if (style === undefined) throw new Error(`${name} has no style`)
  const [head, body] = PLACEHOLDERS.map((placeholder) => html.indexOf(placeholder))
  if (head === undefined || body === undefined || head < 0 || body < head)
    throw new Error(`${name}: missing <!--head--> or <!--body-->`)
  return {
    parts: [
      html.slice(0, head),
      html.slice(head + PLACEHOLDERS[0].length, body),
      html.slice(body + PLACEHOLDERS[1].length),
    ],
    styleHash: await sha256Base64(style),
  }
}
