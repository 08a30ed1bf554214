import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../../..')

/** Runs a program of node_modules/.bin and throws when it fails. Its output is shown only then, unless `loud`. */
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

/** What a build reads. A folder stands for all that is in it. */
const SOURCES = [
  'src',
  'index.html',
  'memorial.html',
  'home.html',
  'tools/build/lib/critical-style.ts',
  'tools/build/lib/document-head.ts',
  'tools/build/lib/openapi',
  'tools/build/lib/published-files.ts',
  'tools/build/lib/web-manifest.ts',
  'public',
  'vite.config.ts',
  'wrangler.toml',
  'tsconfig.json',
  'package-lock.json',
]
/** Written by each build. */
const BUILT = [
  'dist/client/index.html',
  'dist/client/memorial.html',
  'dist/client/home.html',
  'dist/nhaka/index.js',
]

/** When this file was last changed, or the newest of what is in this folder (milliseconds; 0 when there is none). */
function changedAt(path: string): number {
  if (!existsSync(path)) return 0
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => changedAt(resolve(path, name))))
}

/**
 * Builds the Worker and the client into dist/, unless what is there is newer than all that it is made of: a build empties
 * the folder first, under the hands of whoever serves from it. `anew` builds in any case.
 */
export function build(options: { anew?: boolean } = {}): void {
  const sources = Math.max(...SOURCES.map((path) => changedAt(resolve(ROOT, path))))
  const built = Math.min(...BUILT.map((path) => changedAt(resolve(ROOT, path))))
  if (built > sources && !options.anew) return
  runTool('vite', ['build', '--logLevel', 'warn'])
}
