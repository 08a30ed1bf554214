import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { dirname, join, normalize } from 'node:path/posix'

/**
 * The layers of src/worker, lowest first. A module imports only from its own layer and lower ones, type imports included.
 * `features/<noun>` is the module `<noun>`; nouns that no layer lists form the layer NOUNS; files directly in src/worker and
 * src/worker/pages are the module EDGE.
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

/** The module that a file of src/worker belongs to. */
function moduleOf(path: string): string {
  const [, , folder = '', noun = '', file] = path.split('/')
  if (folder === 'features' && file !== undefined) return noun
  return folder === 'pages' || noun === '' ? EDGE : folder
}

function layerOf(module: string): number {
  const at = LAYERS.findIndex((modules) => modules.includes(module))
  return at < 0 ? LAYERS.findIndex((modules) => modules.includes(NOUNS)) : at
}

/** Imports between files of src/worker, as pairs of paths. `read` returns the text of a file. */
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
 * Lists imports from a higher layer, and modules that import each other in a circle; one line each. `paths` are the source files
 * of src/worker without tests.
 */
export function importProblems(paths: readonly string[], read: (path: string) => string): string[] {
  const arrows = importsOf(paths, read).filter(([from, to]) => moduleOf(from) !== moduleOf(to))
  const upward = arrows.filter(([from, to]) => layerOf(moduleOf(to)) > layerOf(moduleOf(from)))
  const targets = new Map<string, Set<string>>()
  for (const [from, to] of arrows) {
    const known = targets.get(moduleOf(from)) ?? new Set()
    targets.set(moduleOf(from), known.add(moduleOf(to)))
  }
  const circular = [...targets.keys()].filter((module) => reaches(targets, module, module))
  return [
    ...upward.map(([from, to]) => `${from} imports ${to}, which is in a higher layer`),
    ...(circular.length > 0 ? [`these folders import each other in a circle: ${circular.join(', ')}`] : []),
  ]
}

function reaches(targets: ReadonlyMap<string, Set<string>>, from: string, goal: string): boolean {
  const seen = new Set<string>()
  const pending = [...(targets.get(from) ?? [])]
  for (let module = pending.pop(); module !== undefined; module = pending.pop()) {
    if (module === goal) return true
    if (seen.has(module)) continue
    seen.add(module)
    pending.push(...(targets.get(module) ?? []))
  }
  return false
}

/** As a command: checks that the folders of src/worker import each other in one direction only. */
if (import.meta.main) {
  const root = resolve(import.meta.dirname, '../..')
  const paths = globSync('src/worker/**/*.{ts,tsx}', { cwd: root }).filter(
    (path) => !path.endsWith('.test.ts'),
  )
  const problems = importProblems(paths, (path) => readFileSync(resolve(root, path), 'utf8'))
  for (const problem of problems) console.log(problem)
  console.log(`${paths.length} files, ${problems.length} imports in the wrong direction`)
  process.exitCode = problems.length === 0 ? 0 : 1
}
