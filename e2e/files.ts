import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '..')
const OWN = resolve(ROOT, 'test/fixtures')
/** NHAKA_TEST_MEDIA names a folder of files from real cameras and phones to run the same tests with. */
const REAL = resolve(ROOT, process.env['NHAKA_TEST_MEDIA'] ?? OWN)

function pick(real: string, own: string): string {
  const path = resolve(REAL, real)
  return existsSync(path) ? path : resolve(OWN, own)
}

/** Typical uploads: photos with a GPS position, a video, a recording, a printed programme. */
export const files = {
  photoWithGps: pick('camera-dscn0010.jpg', 'photo-gps.jpg'),
  photoRotated: pick('camera-rotated-6.jpg', 'photo-rotated-6.jpg'),
  photoOfRelative: pick('camera-jolla.jpg', 'photo-gps.jpg'),
  video: pick('video-20s-h264.mp4', 'video-2s.mp4'),
  voiceNote: pick('voice-note-12s.opus.ogg', 'voice-note-2s.ogg'),
  programme: pick('programme.pdf', 'programme.pdf'),
}
