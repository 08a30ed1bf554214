import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'vite'

const ENTRY = fileURLToPath(new URL('../../../src/client/service-worker/sw.ts', import.meta.url))

/**
 * Puts the service worker into the client's build as `/sw.js`: one file without imports, under a name that never changes. A
 * build of its own, so that it shares no chunk with the pages.
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
      if (!script || others.length > 0) throw new Error('The service worker is not one file')
      this.emitFile({ type: 'asset', fileName: script.fileName, source: script.code })
    },
  }
}
