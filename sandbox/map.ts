import { crc32, deflateSync } from 'node:zlib'
import type { Incoming, Reply } from './http.ts'

type Colour = readonly [red: number, green: number, blue: number]
const LAND: Colour = [236, 231, 218]
const ROAD: Colour = [255, 255, 255]
const PIN: Colour = [138, 59, 36]

/** A static map provider's response: an image with a pin in the centre. `as` selects a bad response. */
export function answerMap({ query }: Incoming): Reply {
  const [latitude = 0, longitude = 0] = (query.get('at') ?? '').split(',').map(Number)
  const [width = 600, height = 300] = (query.get('size') ?? '').split('x').map(Number)
  const image = { 'content-type': 'image/png' }
  const bad: Record<string, Reply> = {
    error: { status: 403, body: 'The key is not right' },
    svg: { status: 200, headers: { 'content-type': 'image/svg+xml' }, body: '<svg/>' },
    huge: { status: 200, headers: image, body: new Uint8Array(2 * 1024 * 1024) },
  }
  return (
    bad[query.get('as') ?? ''] ?? {
      status: 200,
      headers: image,
      body: renderMap(latitude, longitude, width, height),
    }
  )
}

/** Land, two roads and a pin; the same coordinates give the same image. */
function renderMap(latitude: number, longitude: number, width: number, height: number): Uint8Array {
  const turn = (Math.abs(latitude * 7.3 + longitude * 3.1) % 1) * Math.PI
  const roads = [
    { angle: turn, offset: 50 },
    { angle: turn + 1.4, offset: -60 },
  ]
  const colourAt = (x: number, y: number): Colour => {
    if (isPin(x, y)) return PIN
    const isRoad = roads.some(
      ({ angle, offset }) => Math.abs(x * Math.sin(angle) - y * Math.cos(angle) - offset) < 5,
    )
    return isRoad ? ROAD : LAND
  }
  const rows: Buffer[] = []
  for (let row = 0; row < height; row++) {
    const line = Buffer.alloc(1 + width * 3)
    for (let column = 0; column < width; column++) {
      line.set(colourAt(column - width / 2, row - height / 2), 1 + column * 3)
    }
    rows.push(line)
  }
  return encodePng(width, height, Buffer.concat(rows))
}

/** A drop-shaped pin with its tip at the centre and a hole in its head. */
function isPin(x: number, y: number): boolean {
  const fromHead = Math.hypot(x, y + 30)
  if (fromHead < 6) return false
  return fromHead < 15 || (y <= 0 && y > -26 && Math.abs(x) < -y * 0.48)
}

/** Eight bits per channel, no filter: https://www.w3.org/TR/png-3/ */
function encodePng(width: number, height: number, lines: Buffer): Uint8Array {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(lines)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'ascii'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}
