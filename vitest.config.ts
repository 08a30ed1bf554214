import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-pool-workers'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'
import { testVars } from './test/sandbox-setup.ts'
import { listGuardIds } from './tools/build/lib/marked-guards.ts'

/**
 * Packages that are bundled before the tests, because one module loads faster than hundreds. Packages that import Node modules
 * cannot be here. mediabunny must be: the pool cannot load its stub for node:fs.
 */
const BUNDLED = [
  'mediabunny',
  'stripe',
  'drizzle-orm',
  'drizzle-orm/sqlite-core',
  'drizzle-orm/d1',
  'drizzle-orm/errors',
  'zod/mini',
  'hono',
  'hono/cookie',
  'jose',
  '@simplewebauthn/server',
  'parse5',
  'hast-util-to-html',
  'hast-util-sanitize',
  'hast-util-from-parse5',
  '@noble/hashes/utils.js',
  '@noble/hashes/sha2.js',
  '@noble/hashes/hmac.js',
  'image-size',
  'obscenity',
]

/**
 * Loads with the Worker what it loads when needed. Its bundle has all of that, but here loading is a request to the test runner, even
 * of a module that is there already, and requests that need one at the same time can't share that.
 */
const loadEverything: Plugin = {
  name: 'load-everything',
  enforce: 'pre',
  transform(code, id) {
    if (!id.includes('/src/worker/')) return null
    const names: string[] = []
    const changed = code.replaceAll(/(?<!typeof )\bimport\(('[^']+')\)/gu, (_, module: string) => {
      names.push(module)
      return `Promise.resolve(loaded${names.length})`
    })
    return names.map((module, at) => `import * as loaded${at + 1} from ${module};`).join('') + changed
  },
}

/** No test depends on the speed of the machine: the default of `expect.poll`, 1 s, is too short on a busy one. */
const STOP_IF_HANGING = { testTimeout: 300_000, hookTimeout: 120_000, expect: { poll: { timeout: 60_000 } } }

/** Tests that speak HTTP to the Worker inside workerd, with D1, R2, KV, Durable Objects and queues. */
function workerProject(name: string, files: string, isExhaustive: boolean, groupOrder: number) {
  return {
    plugins: [
      loadEverything,
      cloudflareTest(async ({ inject }) => ({
        main: './src/worker/index.ts',
        wrangler: { configPath: './wrangler.toml' },
        miniflare: {
          assets: { directory: './test/worker/assets' },
          bindings: {
            ...testVars(inject<string>('sandboxUrl')),
            TEST_MIGRATIONS: await readD1Migrations('./migrations'),
          },
        },
      })),
    ],
    test: {
      name,
      isolate: false,
      sequence: { groupOrder },
      include: [`src/worker/**/${files}`, `test/worker/**/${files}`],
      globalSetup: ['./test/sandbox-setup.ts'],
      setupFiles: ['./test/worker/runtime/setup.ts'],
      provide: { isExhaustive },
      ...STOP_IF_HANGING,
      ...(isExhaustive && { testTimeout: 900_000 }),
      deps: { optimizer: { ssr: { enabled: true, include: BUNDLED } } },
    },
  }
}

/**
 * One runtime runs many files (`isolate: false`), because loading the Worker takes longer than most files' tests; test/worker/runtime/setup.ts
 * empties the storage between files. `exhaustive` runs the full sweeps, of which `worker` runs a sample.
 */
export default defineConfig({
  test: {
    // The tests spend most of their time waiting for the runtime.
    maxWorkers: 2,
    // A tag ties a test to a guard of `npm run prove`. A tag without a guard fails.
    tags: listGuardIds().map((name) => ({ name })),
    projects: [
      workerProject('worker', '*.test.ts', false, 0),
      workerProject('exhaustive', '*.sweep.test.ts', true, 1),
      {
        test: {
          name: 'sandbox',
          isolate: false,
          sequence: { groupOrder: 2 },
          include: ['sandbox/**/*.test.ts'],
          environment: 'node',
          ...STOP_IF_HANGING,
        },
      },
      {
        test: {
          name: 'unit',
          isolate: false,
          sequence: { groupOrder: 3 },
          include: ['src/shared/**/*.test.ts', 'src/client/**/*.test.ts', 'test/*.test.ts'],
          environment: 'node',
          ...STOP_IF_HANGING,
        },
      },
    ],
  },
})
