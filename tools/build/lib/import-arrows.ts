import { dirname, join, normalize } from 'node:path/posix'

/**
 * The rooms of src/worker, lowest first. A room imports from its own layer and from those below it, type imports included.
 * `features/<noun>` is the room `<noun>`; nouns that no layer names form the layer NOUNS; files directly in src/worker and
 * src/worker/pages are the edge.
 */
const NOUNS = 'nouns'
const EDGE = 'edge'
const LAYERS: readonly string[][] = [
  ['schema'],
  ['platform', 'media-formats'],
  ['http'],
  ['access'],
  [NOUNS],
  ['views', 'export', 'removal', 'admin'],
  [EDGE],
]
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/gu

/** The room that a file of src/worker belongs to. */
export function roomOf(path: string): string {
  const [, , folder = '', noun = '', file] = path.split('/')
  if (folder === 'features' && file !== undefined) return noun
  return folder === 'pages' || noun === '' ? EDGE : folder
}

function layerOf(room: string): number {
  const at = LAYERS.findIndex((rooms) => rooms.includes(room))
  return at < 0 ? LAYERS.findIndex((rooms) => rooms.includes(NOUNS)) : at
}

/** What each file imports from src/worker: pairs of paths. `read` gives the text of a path. */
function importsOf(paths: readonly string[], read: (path: string) => string): [string, string][] {
  return paths.flatMap((path) =>
    [...read(path).matchAll(IMPORT)].flatMap(([, name = '']): [string, string][] => {
      if (name.startsWith('#worker/')) return [[path, name.replace('#worker/', 'src/worker/')]]
      if (!name.startsWith('.')) return []
      const target = normalize(join(dirname(path), name))
      return target.startsWith('src/worker/') ? [[path, target]] : []
    }),
  )
}

/**
 * Imports between rooms that break the order of the layers, and rooms that import each other in a circle; one line each.
 * `paths` are the source files of src/worker without tests.
 */
export function arrowProblems(paths: readonly string[], read: (path: string) => string): string[] {
  const arrows = importsOf(paths, read).filter(([from, to]) => roomOf(from) !== roomOf(to))
  const upward = arrows.filter(([from, to]) => layerOf(roomOf(to)) > layerOf(roomOf(from)))
  const targets = new Map<string, Set<string>>()
  for (const [from, to] of arrows) {
    const known = targets.get(roomOf(from)) ?? new Set()
    targets.set(roomOf(from), known.add(roomOf(to)))
  }
  const circular = [...targets.keys()].filter((room) => reaches(targets, room, room))
  return [
    ...upward.map(([from, to]) => `${from} imports ${to}, which is in a higher layer`),
    ...(circular.length > 0 ? [`these folders import each other in a circle: ${circular.join(', ')}`] : []),
  ]
}

function reaches(targets: ReadonlyMap<string, Set<string>>, from: string, goal: string): boolean {
  const seen = new Set<string>()
  const waiting = [...(targets.get(from) ?? [])]
  for (let room = waiting.pop(); room !== undefined; room = waiting.pop()) {
    if (room === goal) return true
    if (seen.has(room)) continue
    seen.add(room)
    waiting.push(...(targets.get(room) ?? []))
  }
  return false
}
