import type { Plugin } from 'vite'
import { api } from '../../../src/shared/api.ts'

/** Calls that the app doesn't make: those of providers and monitors, of plain forms, and those that it only has addresses of. */
const NOT_CALLED = new Set<string>([
  'stripeWebhook',
  'paynowResult',
  'health',
  'uploadOptions',
  'appendUpload',
  'mediaStream',
  'removedThumbnail',
  'leaveMessage',
  'askToBeLetIn',
  'openLetIn',
  'follow',
  'askForCode',
  'useCode',
] satisfies (keyof typeof api)[])

/**
 * Gives the built client the contract without its schemas, so that it doesn't load Zod: of each call only what `call` in
 * src/client/lib/call.ts needs. Forms check by the rules in src/shared/fields.ts. Fails the build if a module uses a call
 * that is left out.
 */
export function contractWithoutSchemas(): Plugin {
  return {
    name: 'contract-without-schemas',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'client',
    load: {
      filter: { id: /\/src\/shared\/api\.ts$/u },
      handler() {
        const calls = Object.entries(api)
          .filter(([name]) => !NOT_CALLED.has(name))
          .map(([name, { method, path }]) => [name, { method, path }])
        return `export const api = ${JSON.stringify(Object.fromEntries(calls))}`
      },
    },
    transform: {
      filter: { code: new RegExp(String.raw`\bapi\.(?:${[...NOT_CALLED].join('|')})\b`, 'u') },
      handler(_, id) {
        throw new Error(`${id} uses a call that NOT_CALLED leaves out of the client`)
      },
    },
  }
}
