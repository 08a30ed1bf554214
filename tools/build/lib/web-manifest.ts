import { SERVICE_TITLES } from '../../../src/shared/page-titles.ts'
import { paths } from '../../../src/shared/pages.ts'
import { SITE_NAME } from '../../../src/shared/site-name.ts'

/** Pictures of the app on a home screen, in src/client/assets/icons. The last may be cut to any shape. */
export const MANIFEST_ICONS = [
  { file: 'favicon.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'any' },
  { file: 'icon-192.png', sizes: '192x192', type: 'image/png', purpose: 'any' },
  { file: 'icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'any' },
  { file: 'maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
] as const

/** --paper of src/client/styles/base.css, as the documents' `theme-color` has it. */
const PAPER = '#fbf9f5'

/** What a phone needs to put the app on its home screen. `addressOf` gives the address of an icon's file. */
export function webManifest(addressOf: (file: string) => string) {
  return {
    id: paths.home,
    name: SITE_NAME,
    // Under an icon there is room for a dozen letters.
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
