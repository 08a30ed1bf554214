import { dirname, join, normalize } from 'node:path'

const CODE = /^(?:```|~~~)[\s\S]*?^(?:```|~~~)|`[^`\n]+`/gmu
const LINK = /\]\(([^)\s]+)[^)]*\)|(?:src|href)="([^"]+)"/gu
const ELSEWHERE = /^(?:[a-z]+:|\/\/)/iu
const HEADING = /^#{1,6}\s+(.+)$/gmu

/** Text of a file by its path from the root of the project, or null; a folder is an empty text. */
export type ReadFile = (path: string) => string | null

/**
 * Links of the Markdown file at `path` that lead nowhere in this repository, one line each: to a file that is not there, or
 * to a heading that it does not have. Addresses elsewhere are not looked at: this needs no network.
 */
export function linkProblems(path: string, readFile: ReadFile): string[] {
  const text = readFile(path) ?? ''
  return linksOf(text).flatMap((link) => {
    const [file = '', anchor] = link.split('#', 2)
    const target = file === '' ? path : normalize(join(dirname(path), decodeURI(file)))
    const found = target.startsWith('..') ? null : readFile(target.replace(/\/$/u, ''))
    if (found === null) return [`${path}: ${link} is not there`]
    if (!anchor || !target.endsWith('.md') || anchorsOf(found).has(anchor)) return []
    return [`${path}: ${target} has no heading #${anchor}`]
  })
}

function linksOf(text: string): string[] {
  const plain = text.replaceAll(CODE, '')
  return [...plain.matchAll(LINK)]
    .map(([, link, address]) => link ?? address ?? '')
    .filter((link) => !ELSEWHERE.test(link))
}

/** The names that GitHub gives to headings. */
function anchorsOf(text: string): Set<string> {
  const plain = text.replaceAll(/^(?:```|~~~)[\s\S]*?^(?:```|~~~)/gmu, '')
  const seen = new Map<string, number>()
  const names = [...plain.matchAll(HEADING)].map(([, heading = '']) => {
    const name = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/gu, '-')
    const before = seen.get(name) ?? 0
    seen.set(name, before + 1)
    return before === 0 ? name : `${name}-${before}`
  })
  return new Set(names)
}
