/** Pixels a side: 40 mm at 1,200 dots an inch, so that an engraver can enlarge it. */
const PNG_SIDE_PX = 1920

/** A whole SVG document as an address for `<img>`. */
export function svgAddress(svg: string): string {
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
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

/** The same code as a PNG, black on white. Throws when the browser cannot draw it. */
export async function pngOf(svg: string): Promise<Blob> {
  const image = new Image()
  image.src = svgAddress(svg)
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = PNG_SIDE_PX
  canvas.height = PNG_SIDE_PX
  const context = canvas.getContext('2d')
  if (!context) throw new Error('This browser cannot draw pictures')
  context.imageSmoothingEnabled = false
  context.fillStyle = '#ffffff'
  context.fillRect(0, 0, PNG_SIDE_PX, PNG_SIDE_PX)
  context.drawImage(image, 0, 0, PNG_SIDE_PX, PNG_SIDE_PX)
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('No picture came out'))), 'image/png')
  })
}
