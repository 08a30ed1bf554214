import { SERVICE_TITLES } from '../../../src/shared/page-titles.ts'
import { paths } from '../../../src/shared/pages.ts'
import { SITE_NAME } from '../../../src/shared/site-name.ts'

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
