import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Plugin } from 'vite'
import { openApi, REFERENCE_PATH } from './openapi/openapi.ts'
import { referencePage } from './openapi/reference-page.ts'
import { MANIFEST_ICONS, webManifest } from './web-manifest.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const ICONS = 'src/client/assets/icons'
const STYLE = 'scripts/lib/openapi/reference-page.css'

/**
 * Puts the files at fixed addresses that are made of the contract into the client's build: `/manifest.webmanifest`,
 * `/openapi.json` and the page on which it is read. They are static, so they cost the Worker nothing; their headers stand in
 * `public/_headers`.
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
      const document = openApi(resolve(ROOT, 'src/shared'), version)
      publish('/openapi.json', JSON.stringify(document))
      publish(REFERENCE_PATH, referencePage(document, { style: emit(STYLE), icon: addressOf('favicon.svg') }))
    },
  }
}
