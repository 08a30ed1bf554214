import { formatDate } from '#client/lib/dates.ts'
import type { RecordingFormat } from './recording-format.ts'

/** A recording in progress. */
export type VoiceRecording = {
  pause: () => void
  resume: () => void
  /** Stops and returns the file. Releases the microphone. */
  finish: () => Promise<File>
  /** Stops and discards the recording. */
  discard: () => void
  /** Current loudness, 0 to 1. */
  level: () => number
}

/** How often the recorder hands over data: it then buffers little itself. */
const CHUNK_MS = 1000

/**
 * Asks for the microphone and records. `onEnded` is called if the microphone goes away; the recording can then still
 * be finished. Throws the `DOMException` of `getUserMedia`, or the signal's reason if the user left meanwhile. If it
 * throws, the microphone is off.
 */
export async function recordVoice(
  format: RecordingFormat,
  onEnded: () => void,
  signal: AbortSignal,
): Promise<VoiceRecording> {
  // Load this before recording: afterwards the connection may be gone.
  const repack = format.needsRemux ? (await import('./webm-to-ogg.ts')).webmToOgg : null
  signal.throwIfAborted()
  const stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1 } })
  try {
    // The permission prompt can stay open for any length of time.
    signal.throwIfAborted()
    return startRecording(stream, format, repack, onEnded)
  } catch (error) {
    release(stream)
    throw error
  }
}

function startRecording(
  stream: MediaStream,
  format: RecordingFormat,
  repack: ((recorded: Blob) => Promise<Blob>) | null,
  onEnded: () => void,
): VoiceRecording {
  const recorder = new MediaRecorder(stream, {
    mimeType: format.recordAs,
    audioBitsPerSecond: format.bitsPerSecond,
  })
  const chunks: Blob[] = []
  recorder.addEventListener('dataavailable', ({ data }) => chunks.push(data))
  for (const track of stream.getTracks()) track.addEventListener('ended', onEnded)
  const meter = createMeter(stream)
  recorder.start(CHUNK_MS)
  const wakeLock = requestWakeLock()

  async function end(): Promise<void> {
    if (recorder.state !== 'inactive') {
      const stopped = new Promise((resolve) => {
        recorder.addEventListener('stop', resolve, { once: true })
      })
      recorder.stop()
      await stopped
    }
    release(stream)
    await meter.close()
    await (await wakeLock)?.release()
  }

  return {
    pause: () => recorder.pause(),
    resume: () => recorder.resume(),
    async finish() {
      await end()
      const recorded = new Blob(chunks, { type: format.mimeType })
      const audio = repack ? await repack(recorded) : recorded
      return new File([audio], recordingFileName(new Date(), format), { type: format.mimeType })
    },
    discard: () => void end(),
    level: meter.level,
  }
}

function release(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop()
}

/** Keeps the screen on: a sleeping phone stops the microphone. Null if the browser refuses. */
async function requestWakeLock(): Promise<WakeLockSentinel | null> {
  try {
    return await navigator.wakeLock.request('screen')
  } catch {
    // Older browsers don't support it, and a phone in battery saver mode refuses.
    return null
  }
}

/** `Voice recording, 21 November 2026.ogg`. */
export function recordingFileName(made: Date, { extension }: Pick<RecordingFormat, 'extension'>): string {
  return `Voice recording, ${formatDate(made.toISOString())}.${extension}`
}

function createMeter(stream: MediaStream): { level: () => number; close: () => Promise<void> } {
  const context = new AudioContext()
  // Safari starts suspended.
  void context.resume()
  const analyser = context.createAnalyser()
  analyser.fftSize = 1024
  context.createMediaStreamSource(stream).connect(analyser)
  const samples = new Float32Array(analyser.fftSize)
  return {
    level() {
      analyser.getFloatTimeDomainData(samples)
      return levelOf(samples)
    },
    close: () => context.close(),
  }
}

/** Perceived loudness of samples from -1 to 1: 0 at -60 dB and below, 1 at 0 dB. */
export function levelOf(samples: ArrayLike<number>): number {
  let sum = 0
  for (let at = 0; at < samples.length; at++) sum += (samples[at] ?? 0) ** 2
  const decibels = 10 * Math.log10(sum / Math.max(1, samples.length))
  return Math.min(1, Math.max(0, 1 + decibels / 60))
}
