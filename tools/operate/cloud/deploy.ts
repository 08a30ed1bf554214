import { globSync } from 'node:fs'
import {
  type Deployment,
  listSecrets,
  OPTIONAL_SECRETS,
  readDeployment,
  SECRETS,
  tableOf,
} from './deployment.ts'
import { environmentArgs, type Options } from './environments.ts'
import { ROOT, type Wrangler } from './wrangler.ts'
import { OperatorError } from '../local/command.ts'
import { waitForHealth } from '../local/health.ts'

export const DEPLOY_USAGE = `Usage: npm run deploy [-- --env production|staging] [--dry-run]

Checks the code, builds it, applies migrations to the deployed database and deploys. With --dry-run it only checks, builds and
lists missing settings: it sends nothing to Cloudflare and needs no account.`

export type Deploy = Options & {
  wrangler: Wrangler
  root?: string
  say: (line: string) => void
  /** Format, lint, types and all other checks. Throws when one fails. */
  verify: () => void
  /** Builds this deployment into `dist/<environment>`. Throws when it cannot. */
  build: (deployment: Deployment) => void
  fetch?: typeof fetch
  /** Waits this many milliseconds between health checks: a new domain takes a minute to respond. */
  wait?: (ms: number) => Promise<void>
}

/**
 * Deploys. It makes all checks before it changes anything, and applies migrations before it deploys the code that needs them.
 * Throws {@link OperatorError}.
 */
export async function deploy(task: Deploy): Promise<void> {
  const deployment = readDeployment(task.env, task.root)
  const { say, isDryRun } = task
  say(`${deployment.name}: the ${deployment.env} deployment, at ${deployment.origin}`)

  say('1. wrangler.toml')
  checkSettings(task, deployment)
  say('2. Secrets')
  checkSecrets(task, deployment)
  say('3. Checks')
  task.verify()
  say('4. Build')
  task.build(deployment)
  const built = builtConfig(task, deployment)
  say('5. Database: pending migrations')
  run(
    task,
    ['d1', 'migrations', 'apply', 'DB', '--remote', ...environmentArgs(deployment.env)],
    AFTER_MIGRATIONS,
  )
  say('6. Deployment')
  const args = ['deploy', '--config', built]
  if (isDryRun) runLoud(task.wrangler, [...args, '--dry-run'], '')
  else run(task, args, AFTER_DEPLOYMENT)
  say('7. Health check')
  if (isDryRun) say(`   would request ${deployment.origin}/api/health`)
  else await askHealth(task, deployment)
  say(
    isDryRun ? 'The dry run is complete. Nothing was sent to Cloudflare.' : `Deployed: ${deployment.origin}`,
  )
}

const AFTER_MIGRATIONS = `Some migrations may have been applied: each migration is applied whole or not at all. The deployed version keeps
working, because migrations only add. Fix the cause and run npm run deploy again.`
const AFTER_DEPLOYMENT = `The database is up to date and the deployment failed. The previous version keeps working, because migrations only add.
Fix the cause and run npm run deploy again: it skips migrations that are already applied.`

/** Secrets that only the Worker may know: all except the key that every browser gets. */
const NEVER_IN_PLAIN_TEXT = [...SECRETS.map(({ name }) => name), ...OPTIONAL_SECRETS].filter(
  (name) => name !== 'STRIPE_PUBLISHABLE_KEY',
)

function checkSettings({ say, isDryRun, env }: Deploy, { open, vars }: Deployment): void {
  const exposed = NEVER_IN_PLAIN_TEXT.filter((name) => name in vars)
  if (exposed.length > 0) {
    throw new OperatorError(
      `${exposed.join(', ')} ${exposed.length > 1 ? 'are' : 'is'} in plain text in [${tableOf(env, 'vars')}] of wrangler.toml. Remove the value and store it as a secret:
npx wrangler secret put NAME ${environmentArgs(env).join(' ')}
If others could read the file, for example in a repository, create a new value first. Nothing was deployed.`,
    )
  }
  if (open.length === 0) return say('   all settings are filled in')
  for (const line of open) say(`   to fill in: ${line}`)
  if (isDryRun) return
  const setup = env === 'production' ? '' : ` -- --env ${env}`
  throw new OperatorError(
    `wrangler.toml is not filled in. npm run setup:cloudflare${setup} writes the ids; enter the addresses by hand.`,
  )
}

function checkSecrets({ wrangler, say, isDryRun }: Deploy, { env, vars }: Deployment): void {
  if (isDryRun) {
    say(`   would run: wrangler secret list ${environmentArgs(env).join(' ')}`)
    say(`   required: ${SECRETS.map(({ name }) => name).join(', ')}`)
    say(`   optional: ${OPTIONAL_SECRETS.join(', ')}`)
    return
  }
  const known = new Set([...listSecrets(wrangler, env), ...Object.keys(vars)])
  const missing = SECRETS.filter(({ name }) => !known.has(name))
  if (missing.length === 0) say('   all are set')
  for (const { name, without } of missing) say(`   missing: ${name}. Until it is set, ${without}.`)
  // The "Deploy to Cloudflare" button sets secrets with the first deployment, so before it there are none.
  if (env !== 'default' && missing.some(({ name }) => name === 'PASSWORD_PEPPER'))
    throw new OperatorError('Without PASSWORD_PEPPER nobody can sign in. Run npm run setup:cloudflare.')
}

/** Path of the built Worker's configuration, relative to the root: the only one in this deployment's folder. */
function builtConfig({ root = ROOT }: Deploy, { env }: Deployment): string {
  const [built, ...others] = globSync(`dist/${env}/*/wrangler.json`, { cwd: root })
  if (!built || others.length > 0)
    throw new OperatorError(`dist/${env} must contain exactly one built Worker.`)
  return built
}

function run({ wrangler, say, isDryRun }: Deploy, args: string[], advice: string): void {
  if (isDryRun) say(`   would run: wrangler ${args.join(' ')}`)
  else runLoud(wrangler, args, advice)
}

function runLoud(wrangler: Wrangler, args: string[], advice: string): void {
  const { isDone, said } = wrangler(args, { isLoud: true })
  if (!isDone) throw new OperatorError(`${said}\nwrangler ${args.join(' ')} failed.\n${advice}`.trim())
}

/**
 * Requests a deployment's health, for up to a minute, because a new domain needs a certificate first. Throws
 * {@link OperatorError} if it does not respond, or reports a failing part.
 */
async function askHealth({ say, fetch: request, wait }: Deploy, { origin, name }: Deployment): Promise<void> {
  const question = { tries: 12, betweenMs: 5000, ...(request && { fetch: request }), ...(wait && { wait }) }
  const { isReady, said } = await waitForHealth(origin, question)
  const url = `${origin}/api/health`
  if (isReady) return say(`   ${url}: ${said}`)
  throw new OperatorError(
    `The new version is deployed, but ${url} does not report that it is healthy:\n  ${said}
A new domain can take some minutes; try again with curl. To go back to the previous version: npx wrangler rollback --name ${name}
(leave the database as it is: migrations only add). See docs/runbook.md.`,
  )
}
