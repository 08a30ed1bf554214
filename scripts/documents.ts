import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { unstable_readConfig as readConfig } from 'wrangler'
import { architectureProblems, type Parts } from './lib/documents/architecture.ts'
import { linkProblems } from './lib/documents/links.ts'
import { toldLimitProblems } from './lib/documents/told-limits.ts'
import { openApi } from './lib/openapi/openapi.ts'

/**
 * Checks what is written against what it is about: links lead somewhere, limits are those of the code, the diagram shows the
 * parts that there are, and every call of the contract can be described.
 */
const root = resolve(import.meta.dirname, '..')

function readFile(path: string): string | null {
  const full = resolve(root, path)
  if (!existsSync(full)) return null
  return statSync(full).isDirectory() ? '' : readFileSync(full, 'utf8')
}

/** `'* * * * *': [drainMailOutbox, …],` and `export { Name } from` */
const CRON = /^ {2}'([^']+)': \[([^\]]*)\]/gmu
const EXPORT = /^export \{ (\w+) \} from/gmu

type Binding = { binding: string }
/** As much of wrangler's configuration as the diagram shows. */
type Config = {
  d1_databases: Binding[]
  r2_buckets: Binding[]
  kv_namespaces: Binding[]
  analytics_engine_datasets: Binding[]
  durable_objects: { bindings: { name: string }[] }
  queues: { producers: Binding[]; consumers: { queue: string; dead_letter_queue?: string }[] }
  ratelimits: { name: string }[]
  images?: Binding
  assets?: Binding
  version_metadata?: Binding
}

function partsOf(): Parts {
  const config = readConfig({ config: resolve(root, 'wrangler.toml') }) as unknown as Config
  const listed = [
    ...[
      config.d1_databases,
      config.r2_buckets,
      config.kv_namespaces,
      config.analytics_engine_datasets,
    ].flat(),
    ...config.durable_objects.bindings.map(({ name }) => ({ binding: name })),
    ...config.queues.producers,
    ...[config.images, config.assets, config.version_metadata].filter((one) => one !== undefined),
  ]
  const queues = config.queues.consumers.flatMap(({ queue, dead_letter_queue: dead }) => [
    queue,
    dead ?? queue,
  ])
  return {
    bindings: listed.map(({ binding }) => binding),
    gates: config.ratelimits.map(({ name }) => name),
    queues: [...new Set(queues)],
    crons: Object.fromEntries(
      [...(readFile('src/worker/schedule.ts') ?? '').matchAll(CRON)].map(([, cron = '', tasks = '']) => [
        cron,
        tasks
          .split(',')
          .map((task) => task.trim())
          .filter((task) => task !== ''),
      ]),
    ),
    exports: [...(readFile('src/worker/index.ts') ?? '').matchAll(EXPORT)].map(([, name = '']) => name),
  }
}

const documents = globSync('**/*.md', {
  cwd: root,
  exclude: (path) => /^(?:node_modules|dist|test-results|\.\w+)$/u.test(path),
})
documents.push(...globSync('.github/**/*.md', { cwd: root }))
const links = documents.flatMap((path) => linkProblems(path, readFile))
const told = toldLimitProblems(readFile('README.md') ?? '').map((what) => `README.md: ${what}`)
const drawn = architectureProblems(readFile('docs/architecture.md') ?? '', partsOf())
const problems = [...links, ...told, ...drawn.map((what) => `docs/architecture.md: ${what}`)]
const calls = Object.keys(openApi(resolve(root, 'src/shared'), '0').paths).length
for (const problem of problems) console.log(problem)
console.log(`${documents.length} documents; ${calls} addresses of the API`)
process.exit(problems.length === 0 ? 0 : 1)
