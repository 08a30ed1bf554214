import { startSandbox } from './server.ts'
import type { SandboxOptions } from './server.ts'

const DEFAULT_PORT = 8788

const env = process.env
const options: SandboxOptions = {
  port: Number(env['SANDBOX_PORT'] ?? DEFAULT_PORT),
  webhookUrl: env['WEBHOOK_URL'] ?? null,
  mailchannelsApiKey: env['MAILCHANNELS_API_KEY'] ?? null,
  stateFolder: env['SANDBOX_STATE'],
  ...(env['SANDBOX_HOST'] ? { host: env['SANDBOX_HOST'] } : {}),
  ...(env['STRIPE_SECRET_KEY'] ? { stripeSecretKey: env['STRIPE_SECRET_KEY'] } : {}),
  ...(env['STRIPE_PUBLISHABLE_KEY'] ? { stripePublishableKey: env['STRIPE_PUBLISHABLE_KEY'] } : {}),
  ...(env['PAYNOW_INTEGRATION_ID'] && env['PAYNOW_INTEGRATION_KEY']
    ? { paynow: { [env['PAYNOW_INTEGRATION_ID']]: { key: env['PAYNOW_INTEGRATION_KEY'], currency: 'USD' } } }
    : {}),
  ...(env['STRIPE_WEBHOOK_SECRET'] ? { stripeWebhookSecret: env['STRIPE_WEBHOOK_SECRET'] } : {}),
}

const sandbox = await startSandbox(options)
console.log(`Sandbox at ${sandbox.url}, mailbox at ${sandbox.url}/mailbox, phones at ${sandbox.url}/phone`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void sandbox.close().then(() => process.exit(0))
  })
}
