import { expect, test } from 'vitest'
import { levelOf, recordingFileName } from './record-voice.ts'
import { chooseRecordingFormat } from './recording-format.ts'

/** MIME types that each browser's recorder supports. */
const BROWSERS = {
  safari: ['audio/mp4;codecs=mp4a.40.2', 'audio/mp4', 'audio/webm;codecs=opus'],
  oldSafari: ['audio/mp4'],
  firefox: ['audio/ogg;codecs=opus', 'audio/webm;codecs=opus'],
  chromium: ['audio/webm;codecs=opus', 'audio/mp4'],
  none: [],
}

test('each browser records a type that the server accepts and most players play', () => {
  const formats = Object.values(BROWSERS).map((types: string[]) =>
    chooseRecordingFormat((type) => types.includes(type)),
  )
  expect(
    formats.map(
      (format) => format && [format.recordAs, format.mimeType, format.extension, format.needsRemux],
    ),
  ).toEqual([
    ['audio/mp4;codecs=mp4a.40.2', 'audio/mp4', 'm4a', false],
    ['audio/mp4', 'audio/mp4', 'm4a', false],
    ['audio/ogg;codecs=opus', 'audio/ogg', 'ogg', false],
    ['audio/webm;codecs=opus', 'audio/ogg', 'ogg', true],
    null,
  ])
})

test("a recording's file name contains its date", () => {
  expect(recordingFileName(new Date(2026, 10, 21, 9), { extension: 'ogg' })).toBe(
    'Voice recording, 21 November 2026.ogg',
  )
})

test('loudness is 1 at full strength, 0.5 at a thousandth of it, 0 in silence', () => {
  const loud = Array.from({ length: 1000 }, (_, at) => (at % 2 === 0 ? 1 : -1))
  expect(levelOf(loud)).toBe(1)
  expect(levelOf(loud.map((sample) => sample * 10 ** -1.5))).toBeCloseTo(0.5)
  expect([levelOf(new Float32Array(1000)), levelOf([])]).toEqual([0, 0])
})
