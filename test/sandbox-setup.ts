import type { TestProject } from 'vitest/node'
import { startSandbox } from '../sandbox/server.ts'
import { testVars } from './vars.ts'

/** Starts the sandbox once for all Worker tests and gives them its address. */
export default async function setup(project: TestProject) {
  const keys = testVars('')
  const sandbox = await startSandbox({
    port: 0,
    stripeSecretKey: keys.STRIPE_SECRET_KEY,
    stripePublishableKey: keys.STRIPE_PUBLISHABLE_KEY,
    stripeWebhookSecret: keys.STRIPE_WEBHOOK_SECRET,
  })
  project.provide('sandboxUrl', sandbox.url)
  return () => sandbox.close()
}

declare module 'vitest' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface merges
  export interface ProvidedContext {
    sandboxUrl: string
    isExhaustive: boolean
  }
}
