import { gapsOf, partsOfTemplate, testTitles } from './test-titles.ts'

const KINDS = [
  'route',
  'element',
  'call',
  'rule',
  'state',
  'message',
  'role',
  'entity',
  'constant',
  'departure',
] as const
type Kind = (typeof KINDS)[number]
const COLUMNS = ['Id', 'Kind', 'The spec says', 'Where', 'Proof']

/** One row of the document. `line` counts from 1; `where` and `proof` are as written. */
type Row = { line: number; id: string; kind: string; statement: string; where: string[]; proof: string[] }

/** What the product has, as far as the document must name it. */
export type Contract = {
  /** `GET /api/x/:id` */
  calls: string[]
  /** `/m/:slug` */
  paths: string[]
  /** Names of exports of limits.ts that the spec gives a number for. */
  numbers: string[]
  /** Sentences of the spec that stand in messages.ts. */
  words: string[]
  /** Every sentence of messages.ts. */
  messages: string[]
}

/** Returns the text of a file of the project, or null when there is none. */
type ReadFile = (path: string) => string | null

/** What is wrong with the document, one line each, and how many rows of each kind it has. */
export function checkCoverage(
  markdown: string,
  contract: Contract,
  readFile: ReadFile,
): { problems: string[]; counts: Map<Kind, number> } {
  const rows: Row[] = []
  const problems: string[] = []
  for (const [at, line] of markdown.split('\n').entries()) {
    const row = rowOf(line, at + 1)
    if (typeof row === 'string') problems.push(row)
    else if (row) rows.push(row)
  }
  const seen = new Map<string, number>()
  for (const row of rows) {
    const first = seen.get(row.id)
    if (first !== undefined) problems.push(`${row.line}: ${row.id} is the id of line ${first} already`)
    seen.set(row.id, first ?? row.line)
  }
  const titles = new Map<string, ReturnType<typeof testTitles>>()
  const titlesOf = (path: string, source: string) => {
    const known = titles.get(path) ?? testTitles(source)
    titles.set(path, known)
    return known
  }
  for (const row of rows) {
    const found = [
      ...cellProblems(row),
      ...row.where.flatMap((place) => placeProblems(place, readFile)),
      ...row.proof.flatMap((proof) => proofProblems(proof, readFile, titlesOf)),
      ...messageProblems(row, contract.messages, readFile),
    ]
    problems.push(...found.map((problem) => `${row.line}: ${row.id} ${problem}`))
  }
  problems.push(...unnamed(rows, contract))
  const counts = new Map(KINDS.map((kind) => [kind, rows.filter((row) => row.kind === kind).length]))
  return { problems, counts }
}

/** A row, null for a line that is none, or what is wrong with it. */
function rowOf(line: string, number: number): Row | string | null {
  if (!line.startsWith('|')) return null
  const cells = line
    .split(/(?<!\\)\|/u)
    .slice(1, -1)
    .map((cell) => cell.replaceAll(String.raw`\|`, '|').trim())
  if (cells.every((cell) => /^:?-+:?$/u.test(cell))) return null
  if (cells.join() === COLUMNS.join()) return null
  const [id, kind, statement, where, proof, ...more] = cells
  if (!id || !kind || !statement || !where || !proof) return `${number}: a cell is empty or missing`
  if (more.length > 0) return `${number}: ${id} has more than ${COLUMNS.length} cells`
  return { line: number, id, kind, statement, where: listOf(where), proof: listOf(proof) }
}

/** The entries of a cell, which are divided by `<br>` and may stand in backticks. */
function listOf(cell: string): string[] {
  return cell.split('<br>').map((entry) =>
    entry
      .trim()
      .replace(/^`(.*)`$/u, '$1')
      .trim(),
  )
}

function cellProblems(row: Row): string[] {
  return KINDS.some((kind) => kind === row.kind) ? [] : [`is of no known kind: ${row.kind}`]
}

function placeProblems(place: string, readFile: ReadFile): string[] {
  const at = place.indexOf('#')
  const [path, text] = at < 0 ? [place, null] : [place.slice(0, at), place.slice(at + 1)]
  const source = readFile(path)
  if (source === null) return [`names a file that is not there: ${path}`]
  if (text !== null && (text === '' || !source.includes(text)))
    return [`names a text that is not in ${path}: ${text}`]
  return []
}

function proofProblems(
  proof: string,
  readFile: ReadFile,
  titlesOf: (path: string, source: string) => ReturnType<typeof testTitles>,
): string[] {
  const at = proof.indexOf(' › ')
  if (at < 0) return [`has a proof that is not "file › title": ${proof}`]
  const [path, title] = [proof.slice(0, at), proof.slice(at + 3)]
  const source = /\.(?:test|spec)\.ts$/u.test(path) ? readFile(path) : null
  if (source === null) return [`is proven by a test file that is not there: ${path}`]
  const isThere = titlesOf(path, source).some((known) =>
    gapsOf(known, title)?.every((gap) => source.includes(gap)),
  )
  return isThere ? [] : [`is proven by a test that is not in ${path}: ${title}`]
}

/** A message is quoted exactly: it stands in messages.ts, or in a file of the row. */
function messageProblems(row: Row, messages: readonly string[], readFile: ReadFile): string[] {
  if (row.kind !== 'message') return []
  const quotes = quotesOf(row.statement)
  if (quotes.length === 0) return ['is a message and quotes nothing']
  const isSaid = (quote: string) =>
    messages.includes(quote) ||
    row.where.some((place) => {
      const at = place.indexOf('#')
      if (at >= 0 && gapsOf(partsOfTemplate(place.slice(at + 1)), quote)) return true
      return readFile(at < 0 ? place : place.slice(0, at))?.includes(quote)
    })
  return quotes.filter((quote) => !isSaid(quote)).map((quote) => `quotes what is said nowhere: ${quote}`)
}

function quotesOf(statement: string): string[] {
  return [...statement.matchAll(/"([^"]+)"/gu)].map(([, quote = '']) => quote)
}

function unnamed(rows: readonly Row[], contract: Contract): string[] {
  const statements = rows.map((row) => row.statement)
  const codes = new Set(
    statements.flatMap((text) => [...text.matchAll(/`([^`]+)`/gu)].map(([, code]) => code)),
  )
  const quotes = new Set(statements.flatMap(quotesOf))
  const places = new Set(rows.flatMap((row) => row.where))
  return [
    ...contract.calls.filter((call) => !codes.has(call)).map((call) => `1: no row names the call ${call}`),
    ...contract.paths.filter((path) => !codes.has(path)).map((path) => `1: no row names the path ${path}`),
    ...contract.numbers
      .filter((name) => !places.has(`src/shared/limits.ts#${name}`))
      .map((name) => `1: no row names the number ${name} of limits.ts`),
    ...contract.words.filter((words) => !quotes.has(words)).map((words) => `1: no row quotes: ${words}`),
  ]
}
