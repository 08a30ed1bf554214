/** A canvas as a file: WebP where the browser writes it, else JPEG. Null where it can write neither. `quality` 0 to 1. */
export async function canvasBlob(canvas: HTMLCanvasElement, quality: number): Promise<Blob | null> {
  const webp = await write(canvas, 'image/webp', quality)
  // A browser that cannot write the type that was asked for answers with PNG.
  return webp?.type === 'image/webp' ? webp : write(canvas, 'image/jpeg', quality)
}

function write(canvas: HTMLCanvasElement, type: string, quality: number): Promise<Blob | null> {
  return new Promise((resolve) => {
    canvas.toBlob(resolve, type, quality)
  })
}
