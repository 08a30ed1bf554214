import { OperatorError } from '../local/command.ts'

/** `default` is the top level of wrangler.toml, which the "Deploy to Cloudflare" button fills in in its copy. */
const ENVIRONMENTS = ['production', 'staging', 'default'] as const
export type Environment = (typeof ENVIRONMENTS)[number]

export type Options = { env: Environment; isDryRun: boolean }

/** The wrangler arguments that select this deployment, whatever other configuration the folder contains. */
export function environmentArgs(env: Environment): string[] {
  return ['--config', 'wrangler.toml', '--env', env === 'default' ? '' : env]
}

/**
 * Reads `[--env NAME] [--dry-run]`. Throws {@link OperatorError} with `usage` for anything else. The default is production; in
 * Cloudflare's own builds, which the button sets up, it is the top level of wrangler.toml.
 */
export function readOptions(args: string[], usage: string): Options {
  const rest = [...args]
  let env: string = process.env['WORKERS_CI'] ? 'default' : 'production'
  let isDryRun = false
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--dry-run') isDryRun = true
    else if (arg === '--env') env = rest.shift() ?? ''
    else if (arg.startsWith('--env=')) env = arg.slice('--env='.length)
    else throw new OperatorError(usage)
  }
  return { env: toEnvironment(env, usage), isDryRun }
}

/**
 * Splits the arguments of a data command into `[--remote] [--env NAME]` and the `rest`. `env` is null for the local database.
 * Throws {@link OperatorError} with `usage` for any other option.
 */
export function readPlace(args: string[], usage: string): { rest: string[]; env: Environment | null } {
  const rest = args.filter((arg) => arg !== '--remote')
  const isRemote = rest.length < args.length
  const at = rest.indexOf('--env')
  const [, name = ''] = at < 0 ? ['', 'production'] : rest.splice(at, 2)
  if ((at >= 0 && !isRemote) || rest.some((arg) => arg.startsWith('--'))) throw new OperatorError(usage)
  const env = toEnvironment(name, usage)
  return { rest, env: isRemote ? env : null }
}

/** Checks the name of an environment. Throws {@link OperatorError}. */
export function toEnvironment(name: string, usage: string): Environment {
  const found = ENVIRONMENTS.find((one) => one === name)
  if (!found) throw new OperatorError(`There is no environment ${JSON.stringify(name)}.\n${usage}`)
  return found
}
