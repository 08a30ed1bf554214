import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { unstable_readConfig as readConfig } from 'wrangler'
import { resolve } from 'node:path'
import { parse } from 'yaml'
import { OPTIONAL_SECRETS, SECRETS } from '../tools/operate/cloud/deployment.ts'
import { secretsIn } from '../tools/build/lib/secret-shapes.ts'

const ignored = readFileSync('.gitignore', 'utf8').split('\n').filter(Boolean)

/** Every file that a commit can contain. */
function keptFiles(): string[] {
  const isIgnored = (name: string) =>
    name === '.git' ||
    ignored.some((rule) => rule === name || rule === `${name}/` || rule === `*${/\.\w+$/u.exec(name)?.[0]}`)
  return globSync('**/{*,.*}', {
    exclude: (entry) => isIgnored(typeof entry === 'string' ? entry : entry.name),
    withFileTypes: true,
  })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`)
}

test('no file that can be committed holds a secret', () => {
  const files = keptFiles()
  expect(files.some((file) => file.endsWith('/wrangler.toml'))).toBe(true)
  expect(files.some((file) => file.endsWith('/.dev.vars.example'))).toBe(true)
  expect(files.flatMap((file) => secretsIn(file, readFileSync(file, 'latin1')))).toEqual([])
})

test('deployed settings are addresses and an example, and no secret is among them', () => {
  const settings = [
    'EXAMPLE_MEMORIAL_SLUG',
    'MAIL_API_URL',
    'MAIL_FROM',
    'PAYNOW_API_URL',
    'PUBLIC_ORIGIN',
    'STRIPE_API_URL',
    'STRIPE_JS_URL',
    'SUPPORT_EMAIL',
  ]
  for (const env of [undefined, 'production', 'staging']) {
    const { vars } = readConfig({ config: 'wrangler.toml', ...(env && { env }) })
    expect([env, Object.keys(vars).toSorted()]).toEqual([env, settings])
  }
  expect(ignored).toContain('.dev.vars')
})

test('the deploy button offers every secret empty and with an explanation', () => {
  const lines = readFileSync('.dev.vars.example', 'utf8').split('\n')
  const offered = lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.split('='))
  expect(offered).toEqual(SECRETS.map(({ name }) => [name, '""']))
  const keys = [...SECRETS.map(({ name }) => name), ...OPTIONAL_SECRETS]
  const commentOf = (key: string) => lines[lines.findIndex((line) => line.endsWith(`${key}=""`)) - 1]
  expect(keys.filter((key) => !commentOf(key)?.startsWith('# '))).toEqual([])
  const { cloudflare } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    cloudflare: { bindings: Record<string, { description: string }> }
  }
  const { vars } = readConfig({ config: 'wrangler.toml' })
  expect(Object.keys(cloudflare.bindings).toSorted()).toEqual(
    [...Object.keys(vars), ...SECRETS.map(({ name }) => name)].toSorted(),
  )
})

test('real secrets are recognised, and the made-up keys of the sandbox are not', () => {
  const random = 'aB3dE6gH9jK2mN5pQ8sT1vW4'
  const real = [
    `sk_live_${random}`,
    `rk_test_${random}`,
    `whsec_${random}`,
    `AKIA${'ABCD2345'.repeat(2)}`,
    `ghp_${random}${random.slice(0, 12)}`,
    ['-----BEGIN RSA', 'PRIVATE KEY-----'].join(' '),
  ]
  expect(real.map((text) => secretsIn('a', `x = "${text}"`).length)).toEqual(real.map(() => 1))
  expect(secretsIn('a', 'sk_test_sandbox whsec_sandbox pk_test_sandbox mail_sandbox')).toEqual([])
})

type Locked = { optionalDependencies?: Record<string, string> }

test('the lock file names every optional binary for every platform', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, Locked>
  }
  const missing = Object.entries(packages).flatMap(([folder, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter(
        (name) => !(`node_modules/${name}` in packages) && !(`${folder}/node_modules/${name}` in packages),
      )
      .map((name) => `${folder}: ${name}`),
  )
  // If one is missing, `npm ci` fails here or on another platform.
  expect(missing).toEqual([])
})

type Workflow = {
  permissions: Record<string, string>
  jobs: Record<string, { 'timeout-minutes'?: number; steps: { uses?: string; run?: string }[] }>
}

function readWorkflow(file: string): Workflow {
  return parse(readFileSync(resolve(import.meta.dirname, '../.github/workflows', file), 'utf8')) as Workflow
}

const WORKFLOWS = [
  ['ci.yml', 'bash .ci/run'],
  ['nightly.yml', 'npm run test:exhaustive'],
] as const

test.each(WORKFLOWS)('%s runs %s with read permission and a timeout', (file, command) => {
  const { permissions, jobs } = readWorkflow(file)
  const steps = Object.values(jobs).flatMap((job) => job.steps)
  expect(permissions).toEqual({ contents: 'read' })
  expect(steps.flatMap(({ run }) => run ?? [])).toEqual([command])
  expect(Object.values(jobs).map((job) => typeof job['timeout-minutes'])).toEqual(['number'])
})

test.each(WORKFLOWS)('%s pins actions by commit, because a tag can be moved', (file) => {
  const steps = Object.values(readWorkflow(file).jobs).flatMap((job) => job.steps)
  const used = steps.flatMap(({ uses }) => uses ?? [])
  expect(used.length).toBeGreaterThan(0)
  expect(used.filter((uses) => !/^[\w./-]+@[0-9a-f]{40}$/u.test(uses))).toEqual([])
})
