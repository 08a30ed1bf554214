import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'vite'

const ENTRY = fileURLToPath(new URL('../../../src/client/service-worker/sw.ts', import.meta.url))

/**
 * Emits the service worker into the client build as `/sw.js`: one file without imports, with a fixed name. It has its own build,
 * so that it shares no chunk with the pages.
 */
export function serviceWorker(): Plugin {
  return {
    name: 'service-worker',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'client',
    async generateBundle() {
      const built = await build({
        configFile: false,
        publicDir: false,
        logLevel: 'warn',
        build: {
          write: false,
          rolldownOptions: { input: ENTRY, output: { format: 'iife', entryFileNames: 'sw.js' } },
        },
      })
      const outputs = [built].flat().flatMap((one) => ('output' in one ? one.output : []))
      const [script, ...others] = outputs.filter((output) => output.type === 'chunk')
      if (!script || others.length > 0) throw new Error('The service worker must be a single file')
      this.emitFile({ type: 'asset', fileName: script.fileName, source: script.code })
    },
  }
}
