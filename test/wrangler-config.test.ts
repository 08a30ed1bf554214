import { expect, test } from 'vitest'
import { unstable_readConfig as readConfig, type Unstable_Config as Config } from 'wrangler'

const DEPLOYED = ['production', 'staging'] as const
const local = readConfig({ config: 'wrangler.toml' })
const of = (env: string) => readConfig({ config: 'wrangler.toml', env })

/** Settings that identify a deployment: the rest is the same in all. */
const OWN = new Set([
  'name',
  'targetEnvironment',
  'routes',
  'workers_dev',
  'database_name',
  'database_id',
  'bucket_name',
  'id',
  'queue',
  'dead_letter_queue',
  'namespace_id',
  'dataset',
  'PUBLIC_ORIGIN',
  'MAIL_FROM',
  'SUPPORT_EMAIL',
  'EXAMPLE_MEMORIAL_SLUG',
])
/** Some kinds of binding call their name `name`. */
const shared = (config: Config) =>
  JSON.parse(
    JSON.stringify(config, (key, value: unknown) => (OWN.has(key) && key !== 'name' ? undefined : value)),
  ) as Record<string, unknown>

const resourcesOf = ({
  name,
  d1_databases,
  r2_buckets,
  queues,
  ratelimits,
  routes,
  analytics_engine_datasets: datasets,
}: Config) => [
  name,
  ...d1_databases.map((database) => database.database_name),
  ...r2_buckets.map((bucket) => bucket.bucket_name),
  ...(queues.consumers ?? []).map(({ queue }) => queue),
  ...ratelimits.map(({ namespace_id }) => namespace_id),
  ...datasets.map(({ dataset }) => dataset ?? ''),
  ...(routes ?? []).map((route) => JSON.stringify(route)),
]

test('the platform logs no request lines, since addresses hold invite and mail tokens', () => {
  const { observability } = readConfig({ config: 'wrangler.toml' })
  expect(observability).toMatchObject({ enabled: true, logs: { invocation_logs: false } })
})

test('300 relatives a minute may join by one link and one address of a mobile network', () => {
  expect(local.ratelimits).toContainEqual(
    expect.objectContaining({ name: 'LIMIT_CONTRIBUTOR_SESSION', simple: { limit: 300, period: 60 } }),
  )
})

test('photo resizing has a queue of its own, so mails do not wait behind it', () => {
  expect(local.queues).toMatchObject({
    producers: [
      { binding: 'JOBS', queue: 'nhaka-jobs' },
      { binding: 'PICTURES', queue: 'nhaka-pictures' },
    ],
    consumers: expect.arrayContaining([
      expect.objectContaining({
        queue: 'nhaka-pictures',
        max_retries: 5,
        dead_letter_queue: 'nhaka-jobs-dead',
      }),
    ]),
  })
})

test.each(DEPLOYED)('%s has every binding and setting that the local Worker has', (env) => {
  const { name, ...rest } = shared(of(env))
  const { name: localName, ...expected } = shared(local)
  expect([name, localName]).toEqual([env === 'production' ? 'nhaka' : `nhaka-${env}`, 'nhaka'])
  expect(rest).toEqual(expected)
  expect(Object.keys(of(env).vars)).toEqual(Object.keys(local.vars))
})

test('production and staging share no database, bucket, queue, counter or address', () => {
  const production = new Set(resourcesOf(of('production')))
  expect(production.size).toBeGreaterThan(10)
  expect(resourcesOf(of('staging')).filter((resource) => production.has(resource))).toEqual([])
})

test.each(DEPLOYED)('%s answers only at its own address, and its links lead there', (env) => {
  const { workers_dev, preview_urls, routes, vars } = of(env)
  const { hostname } = new URL(String(vars['PUBLIC_ORIGIN']))
  expect({ workers_dev, preview_urls, routes }).toEqual({
    workers_dev: false,
    preview_urls: false,
    routes: [{ pattern: hostname, custom_domain: true }],
  })
})

test.each(DEPLOYED)('in %s every queue sends failed messages to a queue named *-dead', (env) => {
  const consumers: NonNullable<Config['queues']['consumers']> = of(env).queues.consumers ?? []
  const dead = consumers.filter(({ queue }) => queue.endsWith('-dead'))
  expect(dead).toHaveLength(1)
  const others = consumers.filter(({ queue }) => !queue.endsWith('-dead'))
  expect(others.map((consumer) => consumer.dead_letter_queue)).toEqual(others.map(() => dead[0]?.queue))
})
