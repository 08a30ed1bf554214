import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Plugin } from 'vite'
import { openApi } from './openapi/openapi.ts'
import { MANIFEST_ICONS, webManifest } from './web-manifest.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const ICONS = 'src/client/assets/icons'

/**
 * Emits generated files with fixed URLs into the client build: `/manifest.webmanifest` and `/openapi.json`. They are static, so
 * they do not run the Worker; `public/_headers` has their headers.
 */
export function publishedFiles(): Plugin {
  return {
    name: 'published-files',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'client',
    generateBundle() {
      const emit = (path: string) => {
        const name = path.slice(path.lastIndexOf('/') + 1)
        const source = readFileSync(resolve(ROOT, path))
        return `/${this.getFileName(this.emitFile({ type: 'asset', name, source }))}`
      }
      const publish = (path: string, source: string) =>
        this.emitFile({ type: 'asset', fileName: path.slice(1), source })

      const addresses = new Map<string, string>(
        MANIFEST_ICONS.map(({ file }) => [file, emit(`${ICONS}/${file}`)]),
      )
      const addressOf = (file: string) => addresses.get(file) ?? ''
      publish('/manifest.webmanifest', JSON.stringify(webManifest(addressOf)))

      const { version } = JSON.parse(readFileSync(resolve(ROOT, 'package.json'), 'utf8')) as {
        version: string
      }
      publish('/openapi.json', JSON.stringify(openApi(version)))
    },
  }
}
