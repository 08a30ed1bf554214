import { globSync } from 'node:fs'
import { OPTIONAL_SECRETS, readDeployment, SECRETS, tableOf, type Deployment } from './deployment.ts'
import { wordsFor, type Options } from './environments.ts'
import { askHealth } from './health.ts'
import { listSecrets } from './secrets.ts'
import { AccountProblem, ROOT, type Wrangler } from './wrangler.ts'

export const DEPLOY_USAGE = `Usage: npm run deploy [-- --env production|staging] [--dry-run]

Checks the code, builds it, brings the deployed database up to date and deploys. With --dry-run it checks and builds, says what
is still to be filled in, and nothing leaves this machine: no account is needed.`

export type Deploy = Options & {
  wrangler: Wrangler
  root?: string
  say: (line: string) => void
  /** Format, lint, types and all other checks. Throws when one fails. */
  verify: () => void
  /** Builds this deployment into `dist/<environment>`. Throws when it cannot. */
  build: (deployment: Deployment) => void
  fetch?: typeof fetch
  /** Waits so many milliseconds: a new domain takes a minute to answer. */
  wait?: (ms: number) => Promise<void>
}

/**
 * Deploys. Everything that can be known beforehand is looked at before anything is changed; the database is brought up to
 * date before the code that needs it. Throws {@link AccountProblem}.
 */
export async function deploy(task: Deploy): Promise<void> {
  const deployment = readDeployment(task.env, task.root)
  const { say, isDryRun } = task
  say(`${deployment.name}: the ${deployment.env} deployment, at ${deployment.origin}`)

  say('1. wrangler.toml')
  lookAtSettings(task, deployment)
  say('2. Secrets')
  lookAtSecrets(task, deployment)
  say('3. Checks')
  task.verify()
  say('4. Build')
  task.build(deployment)
  const built = builtConfig(task, deployment)
  say('5. Database: migrations that are not applied yet')
  run(task, ['d1', 'migrations', 'apply', 'DB', '--remote', ...wordsFor(deployment.env)], AFTER_MIGRATIONS)
  say('6. Deployment')
  const words = ['deploy', '--config', built]
  if (isDryRun) runLoud(task.wrangler, [...words, '--dry-run'], '')
  else run(task, words, AFTER_DEPLOYMENT)
  say('7. Does it answer?')
  if (isDryRun) say(`   would ask ${deployment.origin}/api/health`)
  else await askHealth({ ...deployment, say, fetch: task.fetch, wait: task.wait })
  say(isDryRun ? 'The dry run is complete. Nothing left this machine.' : `Deployed: ${deployment.origin}`)
}

const AFTER_MIGRATIONS = `The database may have been brought up to date in part: each migration is applied whole or not at all. What is deployed
goes on working, since migrations only add. Run npm run deploy again when the reason is gone.`
const AFTER_DEPLOYMENT = `The database is up to date and the deployment failed. What was deployed before goes on working, since migrations only add.
Run npm run deploy again when the reason is gone: what is applied is not applied twice.`

/** What only the Worker may know, but the one key that every browser is told. */
const NEVER_IN_CLEAR = [...SECRETS.map(({ name }) => name), ...OPTIONAL_SECRETS].filter(
  (name) => name !== 'STRIPE_PUBLISHABLE_KEY',
)

function lookAtSettings({ say, isDryRun, env }: Deploy, { open, vars }: Deployment): void {
  const clear = NEVER_IN_CLEAR.filter((name) => name in vars)
  if (clear.length > 0) {
    throw new AccountProblem(
      `${clear.join(', ')} ${clear.length > 1 ? 'stand' : 'stands'} in clear in [${tableOf(env, 'vars')}] of wrangler.toml. Take it out and put it where nobody can read it:
npx wrangler secret put NAME ${wordsFor(env).join(' ')}
If others could read the file, for example in a repository, make a new value first. Nothing was deployed.`,
    )
  }
  if (open.length === 0) return say('   everything is filled in')
  for (const line of open) say(`   to fill in: ${line}`)
  if (isDryRun) return
  const setup = env === 'production' ? '' : ` -- --env ${env}`
  throw new AccountProblem(
    `wrangler.toml is not filled in. npm run setup:cloudflare${setup} writes the ids; addresses are written by hand.`,
  )
}

function lookAtSecrets({ wrangler, say, isDryRun }: Deploy, { env, vars }: Deployment): void {
  if (isDryRun) {
    say(`   would run: wrangler secret list ${wordsFor(env).join(' ')}`)
    say(`   needs: ${SECRETS.map(({ name }) => name).join(', ')}`)
    say(`   may have: ${OPTIONAL_SECRETS.join(', ')}`)
    return
  }
  const known = new Set([...listSecrets(wrangler, env), ...Object.keys(vars)])
  const missing = SECRETS.filter(({ name }) => !known.has(name))
  if (missing.length === 0) say('   all are set')
  for (const { name, without } of missing) say(`   missing: ${name}. Until it is set, ${without}.`)
  // The button sets secrets with the first deployment, so that there is none to see before it.
  if (env !== 'default' && missing.some(({ name }) => name === 'PASSWORD_PEPPER'))
    throw new AccountProblem('Without PASSWORD_PEPPER nobody can sign in. Run npm run setup:cloudflare.')
}

/** The Worker's built configuration, relative to the root: the only one in the folder of this deployment. */
function builtConfig({ root = ROOT }: Deploy, { env }: Deployment): string {
  const [built, ...others] = globSync(`dist/${env}/*/wrangler.json`, { cwd: root })
  if (!built || others.length > 0) throw new AccountProblem(`dist/${env} does not hold one built Worker.`)
  return built
}

function run({ wrangler, say, isDryRun }: Deploy, words: string[], afterwards: string): void {
  if (isDryRun) say(`   would run: wrangler ${words.join(' ')}`)
  else runLoud(wrangler, words, afterwards)
}

function runLoud(wrangler: Wrangler, words: string[], afterwards: string): void {
  const { isDone, said } = wrangler(words, { isLoud: true })
  if (!isDone) throw new AccountProblem(`${said}\nwrangler ${words.join(' ')} failed.\n${afterwards}`.trim())
}
