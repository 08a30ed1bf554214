/** Words after which a slash begins a regular expression and does not divide. */
const BEFORE_REGEX = new Set(['return', 'typeof', 'case', 'in', 'of', 'await', 'void', 'delete', 'else'])
const RUNS_EACH = new Set(['each', 'for'])
const RUNS = new Set([...RUNS_EACH, 'only', 'concurrent', 'sequential'])

type Token = { kind: 'word' | 'text' | 'template' | 'regex' | 'mark'; text: string }

/** A title as a list of its fixed parts: between two of them anything may stand. */
export type Title = readonly string[]

/** The titles of the tests that a test file runs; tests that are skipped have none. */
export function testTitles(source: string): Title[] {
  const tokens = tokensOf(source)
  return tokens.flatMap((token, at) => {
    if (token.kind !== 'word' || !/^(?:test|it)$/u.test(token.text) || tokens[at - 1]?.text === '.') return []
    const title = titleAt(tokens, at + 1)
    return title ? [title] : []
  })
}

/** What stands at the gaps of a title, or null when it is another title. */
export function gapsOf(title: Title, text: string): string[] | null {
  const pattern = title.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`)).join('(.+)')
  return new RegExp(`^${pattern}$`, 'su').exec(text)?.slice(1) ?? null
}

/** The fixed parts of the text of a template literal. */
export function partsOfTemplate(text: string): Title {
  const gap = text.indexOf('${')
  return gap < 0 ? [text] : [text.slice(0, gap), ...partsOfTemplate(text.slice(endOfGap(text, gap + 2)))]
}

function titleAt(tokens: readonly Token[], start: number): Title | null {
  let at = start
  let isEach = false
  while (tokens[at]?.text === '.') {
    const name = tokens[at + 1]?.text ?? ''
    if (!RUNS.has(name)) return null
    isEach ||= RUNS_EACH.has(name)
    at += 2
  }
  if (isEach) at = tokens[at]?.kind === 'template' ? at + 1 : afterParentheses(tokens, at)
  const title = tokens[at]?.text === '(' ? tokens[at + 1] : undefined
  if (title?.kind !== 'text' && title?.kind !== 'template') return null
  const parts = title.kind === 'template' ? partsOfTemplate(title.text) : [title.text]
  return isEach ? parts.flatMap((part) => part.split(/%[sdifjoOp]|\$[A-Za-z_][\w.]*/u)) : parts
}

function afterParentheses(tokens: readonly Token[], start: number): number {
  let depth = 0
  for (let at = start; at < tokens.length; at++) {
    const { kind, text } = tokens[at] ?? { kind: 'mark', text: '' }
    if (kind !== 'mark') continue
    if (text === '(') depth++
    if (text === ')') depth--
    if (depth === 0) return at + 1
  }
  return tokens.length
}

/** The tokens of a TypeScript file without JSX, as far as titles need them: comments and blanks are left out. */
function tokensOf(source: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  while (at < source.length) {
    const blank = /^(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)/u.exec(source.slice(at, at + 10_000))
    if (blank) {
      at += blank[0].length
      continue
    }
    const token = tokenAt(source, at, tokens.at(-1))
    tokens.push(token.token)
    at = token.end
  }
  return tokens
}

function tokenAt(source: string, at: number, before: Token | undefined): { token: Token; end: number } {
  const first = source[at] ?? ''
  if (first === "'" || first === '"') {
    const end = endOfQuoted(source, at)
    return { token: { kind: 'text', text: unescaped(source.slice(at + 1, end - 1)) }, end }
  }
  if (first === '`') {
    const end = endOfTemplate(source, at)
    return { token: { kind: 'template', text: unescaped(source.slice(at + 1, end - 1)) }, end }
  }
  const word = /^[\p{ID_Start}$_][\p{ID_Continue}$]*/u.exec(source.slice(at, at + 200))?.[0]
  if (word) return { token: { kind: 'word', text: word }, end: at + word.length }
  if (first === '/' && mayBeginRegex(before)) {
    const regex = /^\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\//u.exec(source.slice(at, at + 2000))?.[0]
    if (regex) return { token: { kind: 'regex', text: regex }, end: at + regex.length }
  }
  return { token: { kind: 'mark', text: first }, end: at + 1 }
}

function mayBeginRegex(before: Token | undefined): boolean {
  if (!before) return true
  if (before.kind === 'word') return BEFORE_REGEX.has(before.text)
  return before.kind === 'mark' && !/[)\]}\d]/u.test(before.text)
}

function endOfQuoted(source: string, start: number): number {
  let at = start + 1
  while (at < source.length && source[at] !== source[start]) at += source[at] === '\\' ? 2 : 1
  return at + 1
}

function endOfTemplate(source: string, start: number): number {
  let at = start + 1
  while (at < source.length && source[at] !== '`') {
    if (source[at] === '\\') at += 2
    else if (source.startsWith('${', at)) at = endOfGap(source, at + 2)
    else at++
  }
  return at + 1
}

function endOfGap(source: string, start: number): number {
  let at = start
  for (let depth = 1; depth > 0 && at < source.length;) {
    const sign = source[at] ?? ''
    if (sign === '`') at = endOfTemplate(source, at)
    else if (sign === "'" || sign === '"') at = endOfQuoted(source, at)
    else {
      if (sign === '{') depth++
      if (sign === '}') depth--
      at++
    }
  }
  return at
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/gsu, (_, sign: string) => (sign === 'n' ? '\n' : sign))
}
