import { defineConfig } from '@playwright/test'
import { BROWSER_ARGS, findBrowser } from './scripts/lib/browser.ts'

const executablePath = findBrowser()

export default defineConfig({
  testDir: 'e2e',
  fullyParallel: false,
  // Each worker has a world of its own: Worker, sandbox, data. The tests mostly wait.
  workers: 2,
  timeout: 180_000,
  expect: { timeout: 15_000 },
  forbidOnly: true,
  retries: 0,
  use: {
    launchOptions: { args: BROWSER_ARGS, ...(executablePath ? { executablePath } : {}) },
    actionTimeout: 30_000,
    // What a test answers in the network's place must reach the page. Tests of reading without a connection allow it.
    serviceWorkers: 'block',
    trace: 'retain-on-failure',
  },
})
