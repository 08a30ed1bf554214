import type { Env } from '#worker/platform/env.ts'
import { cutStyle, splitStyle, type StylePart } from '#worker/pages/split-style.ts'
import { sha256Base64 } from '#worker/platform/bytes.ts'

/** Documents of the build that the Worker fills with content. */
type DocumentName = 'memorial.html' | 'home.html' | 'screen.html' | 'personal.html' | 'refused.html'
/** The parts of a built document: before its head's content, its style, its body's content, and the end. */
type Template = { parts: [string, string, string, string]; style: StylePart[] }

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

/**
 * Fills a document with the HTML of its head and body, and its own CSS rules. Only the styles of what the body shows come before it:
 * on a slow line, each kilobyte more is 20 ms of waiting for the first words. `styleHashes` are for `style-src`.
 */
export async function fillDocument(
  env: Env,
  name: DocumentName,
  { head, body, styles }: { head: string; body: string; styles: string },
  version: DocumentVersion,
): Promise<{ html: string; styleHashes: string[] }> {
  const templates = await oncePerDeployment(env, name, () => readTemplates(env, name))
  const { parts, style } = templates[version]
  const { first, late } = splitStyle(style, body)
  const [before, afterHead, afterStyle, end] = parts
  const sheets = [first, late + styles]
  const html = `${before}${head}${afterHead}${sheetOf(first)}${afterStyle}${body}${sheetOf(late + styles)}${end}`
  return { html, styleHashes: await Promise.all(sheets.filter(Boolean).map(sha256Base64)) }
}

/** Of the root: the moment that the page was written for, and when it says something else. Times in ms since 1970. */
export function turnAttributes({ last, next }: { last: number; next: number | null }): string {
  return `${last === 0 ? '' : ` data-for="${last}"`}${next === null ? '' : ` data-turn="${next}"`}`
}

function sheetOf(css: string): string {
  return css === '' ? '' : `<style>${css}</style>`
}

async function readTemplates(env: Env, name: DocumentName): Promise<Record<DocumentVersion, Template>> {
  const answer = await env.ASSETS.fetch(new Request(`https://assets.invalid/${name}`))
  const html = await answer.text()
  if (!html.trimEnd().endsWith('</html>')) throw new Error(`${name} is incomplete`)
  const withoutFonts = html.replaceAll(FONTS, '').replace(STYLE, (style) => style.replaceAll(FONT_FACE, ''))
  const lite = withoutFonts.replace(PENDING_PORTRAIT, '').replaceAll(EXTRAS, '')
  return {
    full: toTemplate(name, html),
    withoutFonts: toTemplate(name, withoutFonts),
    lite: toTemplate(name, lite),
  }
}

function toTemplate(name: string, html: string): Template {
  const style = STYLE.exec(html)
  if (!style) throw new Error(`${name} has no style`)
  const [head, body] = PLACEHOLDERS.map((placeholder) => html.indexOf(placeholder))
  if (head === undefined || body === undefined || head < 0 || style.index < head || body < style.index)
    throw new Error(`${name}: missing <!--head-->, then a style, then <!--body-->`)
  return {
    parts: [
      html.slice(0, head),
      html.slice(head + PLACEHOLDERS[0].length, style.index),
      html.slice(style.index + style[0].length, body),
      html.slice(body + PLACEHOLDERS[1].length),
    ],
    style: cutStyle(style[1] ?? ''),
  }
}
