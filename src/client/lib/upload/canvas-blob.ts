/** A canvas as a file: WebP where the browser writes it, else JPEG. Null where it can write neither. `quality` 0 to 1. */
async function canvasBlob(canvas: HTMLCanvasElement, quality: number): Promise<Blob | null> {
  const webp = await write(canvas, 'image/webp', quality)
  // A browser that cannot write the type that was asked for answers with PNG.
  return webp?.type === 'image/webp' ? webp : write(canvas, 'image/jpeg', quality)
}

/** The first of these qualities that weighs no more than `maxBytes`, else the lightest; null where nothing can be written. */
export async function lightBlob(
  canvas: HTMLCanvasElement,
  qualities: readonly number[],
  maxBytes: number,
): Promise<Blob | null> {
  let smallest: Blob | null = null
  for (const quality of qualities) {
    const blob = await canvasBlob(canvas, quality)
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
/** Some browsers change single colours a little. */
const TOLERANCE = 8

/**
 * False in a browser that gives noise out of a canvas so that nobody is known by it (Firefox with `resistFingerprinting`):
 * what is drawn there must not be sent.
 */
export function isCanvasTrue(): boolean {
  const canvas = Object.assign(document.createElement('canvas'), { width: PROBE_PX, height: PROBE_PX })
  const context = canvas.getContext('2d')
  if (!context) return false
  context.fillStyle = `rgb(${PROBE_COLOUR.join(' ')})`
  context.fillRect(0, 0, PROBE_PX, PROBE_PX)
  const { data } = context.getImageData(0, 0, PROBE_PX, PROBE_PX)
  return data.every((value, at) => at % 4 === 3 || Math.abs(value - (PROBE_COLOUR[at % 4] ?? 0)) <= TOLERANCE)
}
