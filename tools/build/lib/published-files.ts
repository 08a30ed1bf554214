import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { build, type Plugin } from 'vite'
import { fileURLToPath } from 'node:url'
import { licenseNotices } from './licenses.ts'
import { openApi } from './openapi/openapi.ts'
import { SERVICE_TITLES } from '../../../src/shared/pages/page-titles.ts'
import { paths } from '../../../src/shared/pages/pages.ts'
import { SITE_NAME } from '../../../src/shared/site-name.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const ICONS = 'src/client/assets/icons'

/**
 * Emits generated files with fixed URLs into the client build: `/manifest.webmanifest`, `/openapi.json` and
 * `/licenses.txt`. They are static, so they do not run the Worker; `public/_headers` has their headers.
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
      publish('/licenses.txt', licenseNotices(ROOT))
    },
  }
}

/** The app's icons, in src/client/assets/icons. Platforms may crop the last one to any shape. */
export const MANIFEST_ICONS = [
  { file: 'favicon.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'any' },
  { file: 'icon-192.png', sizes: '192x192', type: 'image/png', purpose: 'any' },
  { file: 'icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'any' },
  { file: 'maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
] as const

/** The colour --paper of src/client/styles/base.css, the same as the documents' `theme-color`. */
const PAPER = '#fbf9f5'

/** The web app manifest, which lets a phone install the app. `addressOf` returns the URL of an icon file. */
export function webManifest(addressOf: (file: string) => string) {
  return {
    id: paths.home,
    name: SITE_NAME,
    // Home screens show about twelve characters under an icon.
    short_name: 'Legacies',
    description: SERVICE_TITLES[paths.home],
    lang: 'en',
    dir: 'ltr',
    start_url: paths.home,
    scope: paths.home,
    display: 'standalone',
    theme_color: PAPER,
    background_color: PAPER,
    icons: MANIFEST_ICONS.map(({ file, sizes, type, purpose }) => ({
      src: addressOf(file),
      sizes,
      type,
      purpose,
    })),
  }
}

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
