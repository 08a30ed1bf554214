import { ADTS, BlobSource, Input, MP3, MP4, OGG, QTFF, WAVE, WEBM } from 'mediabunny'

/** The duration of a video or recording in seconds, from its packets. Throws if the file cannot be read. */
export async function parsedDuration(file: Blob): Promise<number> {
  const input = new Input({ source: new BlobSource(file), formats: [MP4, QTFF, WEBM, OGG, MP3, ADTS, WAVE] })
  try {
    return await input.computeDuration()
  } finally {
    input.dispose()
  }
}
