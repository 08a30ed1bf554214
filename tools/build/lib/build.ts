import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../../..')

/** Runs a program from node_modules/.bin. Throws an Error if it fails. Prints its output only then, or always if `loud`. */
export function runTool(
  tool: string,
  args: string[],
  options: { loud?: boolean; env?: NodeJS.ProcessEnv } = {},
): void {
  const result = spawnSync(resolve(ROOT, 'node_modules/.bin', tool), args, {
    cwd: ROOT,
    stdio: options.loud ? 'inherit' : 'pipe',
    encoding: 'utf8',
    env: { ...process.env, ...options.env },
  })
  if (result.status === 0) return
  if (!options.loud) console.error(`${result.stdout}\n${result.stderr}`)
  throw new Error(`${tool} ${args.join(' ')} failed`)
}

/** The inputs of a build; a folder includes all its files. */
const SOURCES = [
  'src',
  'index.html',
  'memorial.html',
  'home.html',
  'screen.html',
  'personal.html',
  'refused.html',
  'tools/build/lib/chunk-groups.ts',
  'tools/build/lib/client-contract.ts',
  'tools/build/lib/documents.ts',
  'tools/build/lib/openapi',
  'tools/build/lib/published-files.ts',
  'public',
  'vite.config.ts',
  'wrangler.toml',
  'tsconfig.json',
  'package-lock.json',
]
/** Files that every build writes. */
const BUILT = [
  'dist/client/index.html',
  'dist/client/memorial.html',
  'dist/client/home.html',
  'dist/client/screen.html',
  'dist/client/personal.html',
  'dist/client/refused.html',
  'dist/nhaka/index.js',
]

/** Last change of a file, or of the newest file in a folder (ms since 1970; 0 if it does not exist). */
function changedAt(path: string): number {
  if (!existsSync(path)) return 0
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => changedAt(resolve(path, name))))
}

/**
 * Builds the Worker and the client into dist/, unless dist/ is newer than all sources: a build empties the folder first, and a
 * running server may serve from it. `force` always builds.
 */
export function build(options: { force?: boolean } = {}): void {
  const sources = Math.max(...SOURCES.map((path) => changedAt(resolve(ROOT, path))))
  const built = Math.min(...BUILT.map((path) => changedAt(resolve(ROOT, path))))
  if (built > sources && !options.force) return
  runTool('vite', ['build', '--logLevel', 'warn'])
}
