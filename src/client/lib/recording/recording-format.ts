import { VOICE_BITS } from '#shared/limits.ts'

/** How this browser can record a voice, and what is sent of it. */
export type VoiceWay = {
  /** What the recorder is asked for. */
  recordAs: string
  bitsPerSecond: number
  /** The type that is sent: one that the server takes for a recording. */
  mimeType: string
  extension: string
  /** True where the sound has to be put into another container first: WebM is taken for a film. */
  isRepacked: boolean
}

/** The first that a browser can. AAC plays everywhere; Opus in Ogg is what a voice note is. */
const WAYS: readonly VoiceWay[] = [
  {
    recordAs: 'audio/mp4;codecs=mp4a.40.2',
    bitsPerSecond: VOICE_BITS.aac,
    mimeType: 'audio/mp4',
    extension: 'm4a',
    isRepacked: false,
  },
  {
    recordAs: 'audio/ogg;codecs=opus',
    bitsPerSecond: VOICE_BITS.opus,
    mimeType: 'audio/ogg',
    extension: 'ogg',
    isRepacked: false,
  },
  {
    recordAs: 'audio/webm;codecs=opus',
    bitsPerSecond: VOICE_BITS.opus,
    mimeType: 'audio/ogg',
    extension: 'ogg',
    isRepacked: true,
  },
  // Older Safari knows its own type by no codec's name.
  {
    recordAs: 'audio/mp4',
    bitsPerSecond: VOICE_BITS.aac,
    mimeType: 'audio/mp4',
    extension: 'm4a',
    isRepacked: false,
  },
]

/** How to record here, or null where a browser cannot. `canRecord`: `MediaRecorder.isTypeSupported`. */
export function voiceWay(canRecord: (mimeType: string) => boolean): VoiceWay | null {
  return WAYS.find(({ recordAs }) => canRecord(recordAs)) ?? null
}
