/**
 * Writes src/worker/features/previews/neutral-card.jpg, the link preview for links that do not lead to a public memorial.
 * Run: npx node tools/build/neutral-card.ts
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { initWasm, Resvg } from '@resvg/resvg-wasm'
import { neutralCardSvg } from '../../src/worker/features/previews/card-svg.ts'

const { resolve } = createRequire(import.meta.url)
/** sharp comes with miniflare, which uses it to simulate Cloudflare Images. */
const sharp = createRequire(resolve('miniflare'))('sharp') as (png: Uint8Array) => {
  jpeg: (options: { quality: number; mozjpeg: boolean }) => { toFile: (path: string) => Promise<unknown> }
}
const font = (weight: number) =>
  readFileSync(resolve(`@fontsource/source-serif-4/files/source-serif-4-latin-${weight}-normal.woff2`))
await initWasm(readFileSync(resolve('@resvg/resvg-wasm/index_bg.wasm')))
const card = new Resvg(neutralCardSvg(), {
  font: { fontBuffers: [font(400), font(600)], defaultFontFamily: 'Source Serif 4' },
})
await sharp(card.render().asPng())
  .jpeg({ quality: 85, mozjpeg: true })
  .toFile(new URL('../../src/worker/features/previews/neutral-card.jpg', import.meta.url).pathname)
