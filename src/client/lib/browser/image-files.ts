import { messages } from '#shared/messages.ts'
import { showFailure } from '../toast-store.ts'

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

/** Saves an image to the user's downloads; a toast says if it can't be made. */
export async function saveImage(image: Promise<Blob>, name: string): Promise<void> {
  try {
    saveFile(await image, name)
  } catch (error) {
    showFailure(messages.share.pictureFailedTitle, error, messages.share.pictureFailedText)
  }
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

/** Signature and IHDR, which comes first: https://www.w3.org/TR/png-3/#5ChunkOrdering */
const AFTER_HEADER = 33
const PER_METRE = 1

/** The same PNG with this density in a `pHYs` chunk (https://www.w3.org/TR/png-3/#11pHYs), which it must not have yet. */
export function withDensity(png: Uint8Array, pixelsPerMetre: number): Uint8Array<ArrayBuffer> {
  const chunk = new DataView(new ArrayBuffer(4 + 4 + 9 + 4))
  chunk.setUint32(0, 9)
  for (const [index, letter] of [...'pHYs'].entries()) chunk.setUint8(4 + index, letter.charCodeAt(0))
  chunk.setUint32(8, pixelsPerMetre)
  chunk.setUint32(12, pixelsPerMetre)
  chunk.setUint8(16, PER_METRE)
  chunk.setUint32(17, crc32(new Uint8Array(chunk.buffer, 4, 13)))
  const whole = new Uint8Array(png.length + chunk.byteLength)
  whole.set(png.subarray(0, AFTER_HEADER))
  whole.set(new Uint8Array(chunk.buffer), AFTER_HEADER)
  whole.set(png.subarray(AFTER_HEADER), AFTER_HEADER + chunk.byteLength)
  return whole
}

/** https://www.w3.org/TR/png-3/#5CRC-algorithm */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}
