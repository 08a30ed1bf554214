import { crc32, deflateSync } from 'node:zlib'
import { env } from 'cloudflare:test'
import jsQR from 'jsqr'

/**
 * Red, green and blue of an image scaled to one column of `rows` pixels, from top to bottom: enough to see its
 * orientation. Reads the PNG (one pixel wide, eight bits a channel) that the Images binding produces.
 */
export async function columnOf(image: ReadableStream<Uint8Array>, rows: number): Promise<number[][]> {
  const result = await env.IMAGES.input(image)
    .transform({ width: 1, height: rows, fit: 'squeeze' })
    .output({ format: 'image/png' })
  const png = new Uint8Array(await new Response(result.image()).arrayBuffer())
  const view = new DataView(png.buffer)
  const channels = png[25] === 6 ? 4 : 3
  const data: Uint8Array<ArrayBuffer>[] = []
  for (let at = 8; at + 12 <= png.length; at += 12 + view.getUint32(at)) {
    const name = String.fromCharCode(...png.subarray(at + 4, at + 8))
    if (name === 'IDAT') data.push(png.slice(at + 8, at + 8 + view.getUint32(at)))
  }
  const inflated = new Blob(data).stream().pipeThrough(new DecompressionStream('deflate'))
  const raw = new Uint8Array(await new Response(inflated).arrayBuffer())
  const column: number[][] = []
  for (let row = 0; row < rows; row++) {
    const at = row * (channels + 1)
    const above = column.at(-1) ?? [0, 0, 0]
    // PNG filters (section 9.2) without a left neighbour: none, sub, up, average, Paeth (which then equals "up").
    const share = [0, 0, 1, 0.5, 1][raw[at] ?? 0] ?? 0
    column.push(
      [1, 2, 3].map(
        (channel) => ((raw[at + channel] ?? 0) + Math.floor((above[channel - 1] ?? 0) * share)) & 255,
      ),
    )
  }
  return column
}

/** A PNG of random pixels, which compresses worst. */
export function noisePng(width: number, height: number): Uint8Array<ArrayBuffer> {
  const pixels = new Uint8Array((width * 3 + 1) * height)
  for (let at = 0; at < pixels.length; at += 65_536) crypto.getRandomValues(pixels.subarray(at, at + 65_536))
  for (let row = 0; row < height; row++) pixels[row * (width * 3 + 1)] = 0
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const chunk = (name: string, data: Uint8Array) => {
    const bytes = Buffer.alloc(data.length + 12)
    bytes.writeUInt32BE(data.length, 0)
    bytes.write(name, 4, 'latin1')
    bytes.set(data, 8)
    bytes.writeUInt32BE(crc32(bytes.subarray(4, data.length + 8)), data.length + 8)
    return bytes
  }
  const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(pixels)), chunk('IEND', Buffer.alloc(0))]
  return new Uint8Array(Buffer.concat([Buffer.from(signature), ...parts]))
}

/** Renders a QR code (the path of `qrPath`, `side` modules with its quiet zone) at four pixels per module and decodes it like a phone. */
export function decodeQr(path: string, side: number): string | undefined {
  const scale = 4
  const width = side * scale
  const pixels = new Uint8ClampedArray(width * width * 4).fill(255)
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/gu)) {
    for (let row = 0; row < scale; row++) {
      for (let column = 0; column < scale; column++) {
        const offset = ((Number(y) * scale + row) * width + Number(x) * scale + column) * 4
        pixels.set([0, 0, 0], offset)
      }
    }
  }
  return jsQR(pixels, width, width, { inversionAttempts: 'dontInvert' })?.data
}
