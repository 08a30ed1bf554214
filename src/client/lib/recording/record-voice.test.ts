import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { recordVoice } from './record-voice.ts'
import type { VoiceWay } from './recording-format.ts'

const WAY: VoiceWay = {
  recordAs: 'audio/mp4',
  bitsPerSecond: 64_000,
  mimeType: 'audio/mp4',
  extension: 'm4a',
  isRepacked: false,
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
  const begun = recordVoice(WAY, () => {}, leave.signal)
  leave.abort()
  grant(stream)
  expect(await begun.catch((error: Error) => error.name)).toBe('AbortError')
  expect(track.stop).toHaveBeenCalledOnce()
})

test('a microphone whose audio cannot be recorded is released', async () => {
  vi.stubGlobal('MediaRecorder', function refuse() {
    throw new DOMException('no such type', 'NotSupportedError')
  })
  const begun = recordVoice(WAY, () => {}, new AbortController().signal)
  grant(stream)
  await expect(begun).rejects.toThrow('no such type')
  expect(track.stop).toHaveBeenCalledOnce()
})
