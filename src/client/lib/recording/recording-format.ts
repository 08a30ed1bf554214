import { VOICE_BITS } from '#shared/limits.ts'

/** How this browser records audio, and what is uploaded. */
export type RecordingFormat = {
  /** The MIME type to request from `MediaRecorder`. */
  recordAs: string
  bitsPerSecond: number
  /** The uploaded MIME type, one that the server accepts as a recording. */
  mimeType: string
  extension: string
  /** True if the audio must be remuxed first: the server treats WebM as video. */
  needsRemux: boolean
}

const AAC = { bitsPerSecond: VOICE_BITS.aac, mimeType: 'audio/mp4', extension: 'm4a', needsRemux: false }
const OPUS = { bitsPerSecond: VOICE_BITS.opus, mimeType: 'audio/ogg', extension: 'ogg', needsRemux: false }

/** In order of preference. AAC plays everywhere; Opus in Ogg is the format of voice notes. */
const FORMATS: readonly RecordingFormat[] = [
  { recordAs: 'audio/mp4;codecs=mp4a.40.2', ...AAC },
  { recordAs: 'audio/ogg;codecs=opus', ...OPUS },
  { recordAs: 'audio/webm;codecs=opus', ...OPUS, needsRemux: true },
  // Older Safari doesn't recognise its own type with a codec parameter.
  { recordAs: 'audio/mp4', ...AAC },
]

/** How to record in this browser, or null if it can't. `canRecord`: `MediaRecorder.isTypeSupported`. */
export function chooseRecordingFormat(canRecord: (mimeType: string) => boolean): RecordingFormat | null {
  return FORMATS.find(({ recordAs }) => canRecord(recordAs)) ?? null
}
