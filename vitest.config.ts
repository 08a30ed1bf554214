import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-pool-workers'
import { defineConfig } from 'vitest/config'
import { testVars } from './test/vars.ts'

export default defineConfig({
  test: {
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
          // Bundled, or the pool trips over its stub for node:fs.
          deps: { optimizer: { ssr: { enabled: true, include: ['mediabunny'] } } },
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
