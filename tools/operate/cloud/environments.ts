import { AccountProblem } from './wrangler.ts'

/** `default` is the top of wrangler.toml: what the "Deploy to Cloudflare" button fills in in its copy. */
const ENVIRONMENTS = ['production', 'staging', 'default'] as const
export type Environment = (typeof ENVIRONMENTS)[number]

export type Options = { env: Environment; isDryRun: boolean }

/** Words for wrangler that name this deployment, whatever else the folder holds. */
export function wordsFor(env: Environment): string[] {
  return ['--config', 'wrangler.toml', '--env', env === 'default' ? '' : env]
}

/**
 * Reads `[--env NAME] [--dry-run]`. Throws {@link AccountProblem} with `usage` for anything else. Where nothing is said it is
 * production; in Cloudflare's own builds, which the button sets up, the top of wrangler.toml.
 */
export function readOptions(words: string[], usage: string): Options {
  const rest = [...words]
  let env: string = process.env['WORKERS_CI'] ? 'default' : 'production'
  let isDryRun = false
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--dry-run') isDryRun = true
    else if (word === '--env') env = rest.shift() ?? ''
    else if (word.startsWith('--env=')) env = word.slice('--env='.length)
    else throw new AccountProblem(usage)
  }
  return { env: toEnvironment(env, usage), isDryRun }
}

/**
 * Takes `[--remote] [--env NAME]` out of the words of a command that reads or changes data. `env` is null for the local
 * database. Throws {@link AccountProblem} with `usage` for any other option.
 */
export function readPlace(words: string[], usage: string): { rest: string[]; env: Environment | null } {
  const rest = words.filter((word) => word !== '--remote')
  const isRemote = rest.length < words.length
  const at = rest.indexOf('--env')
  const [, name = ''] = at < 0 ? ['', 'production'] : rest.splice(at, 2)
  if ((at >= 0 && !isRemote) || rest.some((word) => word.startsWith('--'))) throw new AccountProblem(usage)
  const env = toEnvironment(name, usage)
  return { rest, env: isRemote ? env : null }
}

/** The environment of this name. Throws {@link AccountProblem}. */
export function toEnvironment(name: string, usage: string): Environment {
  const found = ENVIRONMENTS.find((one) => one === name)
  if (!found) throw new AccountProblem(`There is no environment ${JSON.stringify(name)}.\n${usage}`)
  return found
}
