import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../..')

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

/** Builds the Worker and the client into dist/. */
export function build(): void {
  runTool('vite', ['build', '--logLevel', 'warn'])
}
