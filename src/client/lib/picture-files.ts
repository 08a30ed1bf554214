import { withDensity } from './png-density.ts'

/** Pixels per millimetre: 610 dpi, which engravers and printers expect. */
const PX_PER_MM = 24
/** Side of a QR code image: 40 mm at 1,200 dpi, so that it can be enlarged. */
const CODE_SIDE_PX = 1920

/** A complete SVG document as a data URI for `<img>`. */
export function svgDataUri(svg: string): string {
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
}

export function svgFile(svg: string): Blob {
  return new Blob([svg], { type: 'image/svg+xml' })
}

/** Saves a file to the user's downloads. */
export function saveFile(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser reads the URL after the click handler has ended.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/** A QR code as a square PNG, black on white. Throws if the browser cannot render it. */
export function qrCodePng(svg: string): Promise<Blob> {
  return renderPng(svg, CODE_SIDE_PX, CODE_SIDE_PX)
}

/** An SVG of this size in millimetres as a PNG with its density, so that it opens and prints in true size. */
export async function pngInMillimetres(svg: string, widthMm: number, heightMm: number): Promise<Blob> {
  const png = await renderPng(svg, widthMm * PX_PER_MM, heightMm * PX_PER_MM)
  return new Blob([withDensity(new Uint8Array(await png.arrayBuffer()), PX_PER_MM * 1000)], {
    type: png.type,
  })
}

async function renderPng(svg: string, width: number, height: number): Promise<Blob> {
  const image = new Image()
  image.src = svgDataUri(svg)
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = height
  const context = canvas.getContext('2d')
  if (!context) throw new Error('This browser has no 2D canvas')
  context.imageSmoothingEnabled = false
  context.fillStyle = '#ffffff'
  context.fillRect(0, 0, width, height)
  context.drawImage(image, 0, 0, width, height)
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error('The canvas could not be encoded as PNG'))),
      'image/png',
    )
  })
}
