import { env } from 'cloudflare:test'

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
