import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { StateProblem } from './local-state.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** Runs SQL on the deployed database, through wrangler and its sign-in, as one batch. Returns the rows of each statement. */
export function remoteRows(statements: string[]): Record<string, unknown>[][] {
  const command = statements.join(';\n')
  const words = ['d1', 'execute', 'DB', '--remote', '--yes', '--json', '--command', command]
  const { status, stdout, stderr } = spawnSync(resolve(ROOT, 'node_modules/.bin/wrangler'), words, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  })
  if (status !== 0) throw new StateProblem(`wrangler could not reach the database:\n${stderr || stdout}`)
  const answers = JSON.parse(stdout) as { results?: Record<string, unknown>[] }[]
  return answers.map(({ results }) => results ?? [])
}
