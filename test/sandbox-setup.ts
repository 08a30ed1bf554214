import type { TestProject } from 'vitest/node'
import { startSandbox } from '../sandbox/server.ts'
import '../tools/operate/local/tune-miniflare.ts'

/** Settings of a Worker that uses the sandbox at `sandboxUrl` for every provider. The keys are not real. */
export function testVars(sandboxUrl: string) {
  return {
    PUBLIC_ORIGIN: 'http://localhost',
    STRIPE_API_URL: sandboxUrl,
    STRIPE_JS_URL: `${sandboxUrl}/v3/`,
    STRIPE_PUBLISHABLE_KEY: 'pk_test_sandbox',
    STRIPE_SECRET_KEY: 'sk_test_sandbox',
    STRIPE_WEBHOOK_SECRET: 'whsec_sandbox',
    PAYNOW_API_URL: sandboxUrl,
    PAYNOW_INTEGRATION_ID: '1201',
    PAYNOW_INTEGRATION_KEY: '3e9fed89-60e1-4ce5-ab6e-6b1eb2d4f977',
    PAYNOW_CURRENCY: 'USD',
    PAYNOW_MODE: 'test',
    MAP_IMAGE_URL: `${sandboxUrl}/map.png?at={latitude},{longitude}&zoom={zoom}&size={width}x{height}`,
    MAIL_API_URL: sandboxUrl,
    MAIL_FROM: 'Keeping Legacies Alive <memorials@nhaka.test>',
    SUPPORT_EMAIL: 'support@nhaka.test',
    MAILCHANNELS_API_KEY: 'mail_sandbox',
    PASSWORD_PEPPER: 'pepper-for-tests-only',
  }
}

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
