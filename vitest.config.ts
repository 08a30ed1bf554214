import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-pool-workers'
import { defineConfig } from 'vitest/config'
import { testVars } from './test/vars.ts'

/**
 * Bundled before the tests: each test file loads the whole Worker anew, and one module loads sooner than hundreds. Not
 * those that ask for modules of Node. mediabunny has to be here: the pool trips over its stub for node:fs.
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
  'parse5',
  'hast-util-to-html',
  'hast-util-sanitize',
  'hast-util-from-parse5',
  '@noble/hashes/utils.js',
  '@noble/hashes/sha2.js',
  '@noble/hashes/hmac.js',
  'image-size',
]

export default defineConfig({
  test: {
    // The tests mostly wait for the runtime that they run in.
    maxWorkers: 2,
    projects: [
      {
        plugins: [
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
          name: 'worker',
          include: ['src/worker/**/*.test.ts', 'test/worker/**/*.test.ts'],
          globalSetup: ['./test/sandbox-setup.ts'],
          setupFiles: ['./test/worker/setup.ts'],
          testTimeout: 30_000,
          deps: { optimizer: { ssr: { enabled: true, include: BUNDLED } } },
        },
      },
      {
        test: {
          name: 'sandbox',
          include: ['sandbox/**/*.test.ts'],
          environment: 'node',
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'unit',
          include: ['src/shared/**/*.test.ts', 'src/client/**/*.test.ts', 'test/*.test.ts'],
          environment: 'node',
        },
      },
    ],
  },
})
