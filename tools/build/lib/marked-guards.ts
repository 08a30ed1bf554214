import { globSync, readFileSync } from 'node:fs'
import { parseSync } from 'vite'

/** A guard in the source: the comment `prove: ID` directly before the code that enforces a rule. */
type MarkedGuard = {
  /** Ties the guard to the tests tagged with the same id. Lower case, words joined by hyphens. */
  id: string
  /** The source text without the guard. */
  without: string
}

type Node = { type: string; start: number; end: number } & Record<string, unknown>
type Place = { node: Node; parent: Node; key: string }

const MARKER = /\/(?:\/ prove: (?<line>[a-z][a-z0-9-]*)\b.*\n|\* prove: (?<inline>[a-z][a-z0-9-]*) \*\/)\s*/gu

/**
 * Finds every marked guard of a TypeScript file, and the source without it. A statement, argument, array element or object
 * property is removed; one side of `&&` or `||` and the condition of an `if` become the value that lets everyone pass. Throws an
 * Error if a marker precedes anything else.
 */
export function findMarkedGuards(path: string, source: string): MarkedGuard[] {
  const markers = [...source.matchAll(MARKER)]
  if (markers.length === 0) return []
  const program = parseSync(path, source).program as unknown as Node
  return markers.map((marker) => {
    const id = marker.groups?.['line'] ?? marker.groups?.['inline'] ?? ''
    const place = findPlace(program, marker.index + marker[0].length)
    if (!place) throw new Error(`${path}: nothing that prove can remove follows the marker ${id}`)
    return { id, without: withoutNode(source, place) }
  })
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

/** The outermost removable node at `start`, but at most one side of `&&` or `||`. */
function findPlace(parent: Node, start: number): Place | null {
  for (const [key, value] of Object.entries(parent)) {
    for (const node of (Array.isArray(value) ? value : [value]).filter(isNode)) {
      if (node.start > start || node.end <= start) continue
      const place = { node, parent, key }
      const isWhole = node.type !== 'LogicalExpression'
      if (node.start === start && isWhole && isRemovable(place)) return place
      return findPlace(node, start)
    }
  }
  return null
}

const LISTS = new Set(['body', 'elements', 'arguments', 'properties', 'consequent'])

function isRemovable({ parent, key }: Place): boolean {
  return (
    (LISTS.has(key) && Array.isArray(parent[key])) ||
    parent.type === 'LogicalExpression' ||
    (parent.type === 'IfStatement' && key === 'test')
  )
}

function withoutNode(source: string, { node, parent, key }: Place): string {
  const after = source.slice(node.end)
  if (parent.type === 'LogicalExpression') {
    return source.slice(0, node.start) + String(parent['operator'] === '&&') + after
  }
  if (key === 'test') return `${source.slice(0, node.start)}false${after}`
  return source.slice(0, node.start) + after.replace(/^\s*,/u, '')
}

/** The ids of all guards that are marked in src/worker, below the current folder. */
export function listGuardIds(): string[] {
  const sources = globSync('src/worker/**/*.ts', { exclude: ['**/*.test.ts'] })
  return sources.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(MARKER)].map(
      ({ groups }) => groups?.['line'] ?? groups?.['inline'] ?? '',
    ),
  )
}
