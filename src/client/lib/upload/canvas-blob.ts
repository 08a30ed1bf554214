/** A canvas as WebP if the browser can encode it, else as JPEG, else null. `quality` is 0 to 1. */
async function encodeCanvas(canvas: HTMLCanvasElement, quality: number): Promise<Blob | null> {
  const webp = await write(canvas, 'image/webp', quality)
  // A browser that cannot encode the requested type returns PNG.
  return webp?.type === 'image/webp' ? webp : write(canvas, 'image/jpeg', quality)
}

/** The first of these qualities that fits in `maxBytes`, else the smallest result; null if encoding fails. */
export async function encodeWithin(
  canvas: HTMLCanvasElement,
  qualities: readonly number[],
  maxBytes: number,
): Promise<Blob | null> {
  let smallest: Blob | null = null
  for (const quality of qualities) {
    const blob = await encodeCanvas(canvas, quality)
    if (blob && (!smallest || blob.size < smallest.size)) smallest = blob
    if (smallest && smallest.size <= maxBytes) break
  }
  return smallest
}

function write(canvas: HTMLCanvasElement, type: string, quality: number): Promise<Blob | null> {
  return new Promise((resolve) => {
    canvas.toBlob(resolve, type, quality)
  })
}

const PROBE_PX = 16
const PROBE_COLOUR = [208, 64, 16] as const
/** Some browsers change colours slightly. */
const TOLERANCE = 8

/** False if the browser adds noise to canvas data (Firefox with `resistFingerprinting`): such images must not be sent. */
export function isCanvasUnaltered(): boolean {
  const canvas = Object.assign(document.createElement('canvas'), { width: PROBE_PX, height: PROBE_PX })
  const context = canvas.getContext('2d')
  if (!context) return false
  context.fillStyle = `rgb(${PROBE_COLOUR.join(' ')})`
  context.fillRect(0, 0, PROBE_PX, PROBE_PX)
  const { data } = context.getImageData(0, 0, PROBE_PX, PROBE_PX)
  return data.every((value, at) => at % 4 === 3 || Math.abs(value - (PROBE_COLOUR[at % 4] ?? 0)) <= TOLERANCE)
}
