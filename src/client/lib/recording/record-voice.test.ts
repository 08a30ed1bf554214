import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { recordVoice } from './record-voice.ts'
import type { RecordingFormat } from './recording-format.ts'

const FORMAT: RecordingFormat = {
  recordAs: 'audio/mp4',
  bitsPerSecond: 64_000,
  mimeType: 'audio/mp4',
  extension: 'm4a',
  needsRemux: false,
}
const track = { stop: vi.fn<() => void>(), addEventListener: vi.fn<() => void>() }
const stream = { getTracks: () => [track] }
let grant: (given: typeof stream) => void = () => {}

beforeEach(() => {
  track.stop.mockClear()
  vi.stubGlobal('navigator', {
    mediaDevices: {
      getUserMedia: () =>
        new Promise((resolve) => {
          grant = resolve
        }),
    },
  })
})
afterEach(() => {
  vi.unstubAllGlobals()
})

test('a microphone granted after the user has left is released at once', async () => {
  const leave = new AbortController()
  const recording = recordVoice(FORMAT, () => {}, leave.signal)
  leave.abort()
  grant(stream)
  expect(await recording.catch((error: Error) => error.name)).toBe('AbortError')
  expect(track.stop).toHaveBeenCalledOnce()
})

test('a microphone whose audio cannot be recorded is released', async () => {
  vi.stubGlobal('MediaRecorder', function refuse() {
    throw new DOMException('no such type', 'NotSupportedError')
  })
  const recording = recordVoice(FORMAT, () => {}, new AbortController().signal)
  grant(stream)
  await expect(recording).rejects.toThrow('no such type')
  expect(track.stop).toHaveBeenCalledOnce()
})
