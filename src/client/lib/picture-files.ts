import { withDensity } from './png-density.ts'

/** Pixels a millimetre: 610 dots an inch, which is what engravers and printers ask for. */
const PX_A_MM = 24
/** Of a code alone: 40 mm at 1,200 dots an inch, so that it can be enlarged. */
const CODE_SIDE_PX = 1920

/** A whole SVG document as an address for `<img>`. */
export function svgAddress(svg: string): string {
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
}

/** An SVG as a file. */
export function svgFile(svg: string): Blob {
  return new Blob([svg], { type: 'image/svg+xml' })
}

/** Hands a file to the person, who finds it among the downloads. */
export function saveFile(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser reads the address after the click has ended.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/** A code as a square PNG, black on white. Throws when the browser cannot draw it. */
export function codePng(svg: string): Promise<Blob> {
  return drawnPng(svg, CODE_SIDE_PX, CODE_SIDE_PX)
}

/** An SVG of this size in millimetres as a PNG that says so itself: it opens, and prints, in its true size. */
export async function truePng(svg: string, widthMm: number, heightMm: number): Promise<Blob> {
  const png = await drawnPng(svg, widthMm * PX_A_MM, heightMm * PX_A_MM)
  return new Blob([withDensity(new Uint8Array(await png.arrayBuffer()), PX_A_MM * 1000)], { type: png.type })
}

async function drawnPng(svg: string, width: number, height: number): Promise<Blob> {
  const image = new Image()
  image.src = svgAddress(svg)
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = height
  const context = canvas.getContext('2d')
  if (!context) throw new Error('This browser cannot draw pictures')
  context.imageSmoothingEnabled = false
  context.fillStyle = '#ffffff'
  context.fillRect(0, 0, width, height)
  context.drawImage(image, 0, 0, width, height)
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('No picture came out'))), 'image/png')
  })
}
