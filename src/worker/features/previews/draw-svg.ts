import { Resvg, initWasm } from '@resvg/resvg-wasm'
import drawing from '@resvg/resvg-wasm/index_bg.wasm'
import latin400 from '@fontsource/source-serif-4/files/source-serif-4-latin-400-normal.woff2?inline'
import latin600 from '@fontsource/source-serif-4/files/source-serif-4-latin-600-normal.woff2?inline'
import latinExt600 from '@fontsource/source-serif-4/files/source-serif-4-latin-ext-600-normal.woff2?inline'

let ready: Promise<void> | undefined
let fonts: Uint8Array[] | undefined

/** An SVG as PNG, in its own size, with the letters of Source Serif 4. Takes some 100 ms and 20 MB: load this module only to draw. */
export async function drawSvg(svg: string): Promise<Uint8Array<ArrayBuffer>> {
  ready ??= initWasm(drawing)
  await ready
  fonts ??= [latin600, latinExt600, latin400].map(bytesOf)
  const drawn = new Resvg(svg, {
    font: { fontBuffers: fonts, defaultFontFamily: 'Source Serif 4' },
    // Sizes are given in pixels, and letters stand where their outlines say.
    shapeRendering: 2,
    textRendering: 2,
  })
  try {
    const picture = drawn.render()
    try {
      return new Uint8Array(picture.asPng())
    } finally {
      picture.free()
    }
  } finally {
    drawn.free()
  }
}

/** Vite gives a file as a data URI, the one form that reaches every place where the Worker runs. */
function bytesOf(dataUri: string): Uint8Array {
  return Uint8Array.from(atob(dataUri.slice(dataUri.indexOf(',') + 1)), (char) => char.charCodeAt(0))
}
