import { defineConfig } from '@playwright/test'
import { BROWSER_ARGS, findBrowser } from './tools/build/lib/browser.ts'

const executablePath = findBrowser()

export default defineConfig({
  testDir: 'e2e',
  // Long versions of shorter tests: `npm run test:exhaustive`.
  testIgnore: process.env['EXHAUSTIVE'] === '1' ? [] : '**/*.exhaustive.spec.ts',
  fullyParallel: false,
  // Three keep two cores busy: a test often waits. Each Playwright worker starts one Worker, one sandbox and one data folder for all its files.
  workers: 3,
  timeout: 600_000,
  // Limits that no busy machine reaches: speed is measured in bench/.
  expect: { timeout: 60_000 },
  forbidOnly: true,
  retries: 0,
  use: {
    launchOptions: { args: BROWSER_ARGS, ...(executablePath ? { executablePath } : {}) },
    actionTimeout: 60_000,
    navigationTimeout: 120_000,
    // A trace costs a sixth of the CPU time: `npx playwright test e2e/x.spec.ts --trace retain-on-failure` records one.
    // A service worker would bypass mocked responses. The offline tests allow it.
    serviceWorkers: 'block',
  },
})
