import { Resvg, initWasm } from '@resvg/resvg-wasm'
import wasmModule from '@resvg/resvg-wasm/index_bg.wasm'
import latin400 from '@fontsource/source-serif-4/files/source-serif-4-latin-400-normal.woff2?inline'
import latin600 from '@fontsource/source-serif-4/files/source-serif-4-latin-600-normal.woff2?inline'
import latinExt600 from '@fontsource/source-serif-4/files/source-serif-4-latin-ext-600-normal.woff2?inline'
import { bytesOfDataUri } from '#worker/platform/bytes.ts'

let ready: Promise<void> | undefined
let fonts: Uint8Array[] | undefined

/** Renders an SVG as PNG with Source Serif 4. Takes about 100 ms and 20 MB: import this module lazily. */
export async function renderSvg(svg: string): Promise<Uint8Array<ArrayBuffer>> {
  const parsed = await readSvg(svg)
  try {
    const image = parsed.render()
    try {
      return new Uint8Array(image.asPng())
    } finally {
      image.free()
    }
  } finally {
    parsed.free()
  }
}

/** The outlines of an SVG of text only, as the data of one path in its units, rounded to thousandths. */
export async function outlinesOf(svg: string): Promise<string> {
  const parsed = await readSvg(svg)
  try {
    const outlined = parsed.toString()
    if (outlined.includes(' transform=')) throw new Error('the outlines have a transform')
    return [...outlined.matchAll(/ d="([^"]*)"/gu)]
      .map(([, path = '']) =>
        path.replace(/-?\d+\.\d+/gu, (number) => String(Number(Number(number).toFixed(3)))),
      )
      .join(' ')
  } finally {
    parsed.free()
  }
}

async function readSvg(svg: string): Promise<InstanceType<typeof Resvg>> {
  ready ??= initWasm(wasmModule)
  await ready
  fonts ??= [latin600, latinExt600, latin400].map(bytesOfDataUri)
  return new Resvg(svg, {
    font: { fontBuffers: fonts, defaultFontFamily: 'Source Serif 4' },
    // Geometric precision: sizes are in pixels, and letters must not snap to the pixel grid.
    shapeRendering: 2,
    textRendering: 2,
  })
}
