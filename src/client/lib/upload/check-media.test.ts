import { expect, test } from 'vitest'
import { checkMedia, fileToSend, quickProblem } from './check-media.ts'
import { CONTRIBUTOR_WRONG_TYPE, contributorFileProblem, wizardRule, type MediaRule } from './file-rules.ts'
import { isOnWifi } from './keep-originals.ts'
import { aviDuration } from './media-duration.ts'
import { posterTimes } from './video-poster.ts'

const MB = 1024 * 1024
/** Data URLs of the test fixtures, by name. */
const fixtures = import.meta.glob<string>(
  '../../../../test/fixtures/*.{png,jpg,mp4,mov,webm,mp3,m4a,aac,wav,ogg}',
  {
    query: '?inline',
    import: 'default',
    eager: true,
  },
)
const fixture = async (name: string) =>
  new Uint8Array(await (await fetch(fixtures[`../../../../test/fixtures/${name}`] ?? '')).arrayBuffer())
const relatives = (type: MediaRule['type']): MediaRule => ({
  type,
  problemOf: (file) => contributorFileProblem(type, file),
  wrongType: CONTRIBUTOR_WRONG_TYPE[type],
  maxDurationSec: null,
})
const problemWith = async (name: string, type: string, rule: MediaRule, calledAs = name) =>
  (await checkMedia(new File([await fixture(name)], calledAs, { type }), rule)).problem

test("files are judged by their bytes, not names, and refused in the rule's text", async () => {
  expect(await problemWith('html-disguised.png', 'image/png', wizardRule('IMAGE'))).toEqual({
    title: 'Invalid File',
    text: 'Please select a valid image file (JPEG, PNG, or WebP)',
  })
  expect(await problemWith('svg-disguised.jpg', 'image/jpeg', relatives('IMAGE'))).toEqual({
    title: 'Invalid File',
    text: 'Please select a valid image file',
  })
  expect((await problemWith('photo.png', 'video/mp4', relatives('VIDEO'), 'a.mp4'))?.text).toBe(
    'Please select a valid video file',
  )
  expect((await problemWith('video-2s.webm', 'audio/ogg', relatives('AUDIO'), 'a.ogg'))?.text).toBe(
    'Please select a valid audio file',
  )
})

test('a HEIC photo is refused by its name or, named as a JPEG, by its bytes', async () => {
  const heic = new Uint8Array([0, 0, 0, 24, ...new TextEncoder().encode('ftypheic'), 0, 0, 0, 0])
  const file = (name: string, type: string) => new File([heic], name, { type })
  const words = 'Please select a valid image file'
  expect(quickProblem(file('IMG_1.HEIC', 'image/heic'), relatives('IMAGE'))?.text).toBe(words)
  expect(quickProblem(file('IMG_1.jpg', 'image/jpeg'), relatives('IMAGE'))).toBeNull()
  expect((await checkMedia(file('IMG_1.jpg', 'image/jpeg'), relatives('IMAGE'))).problem?.text).toBe(words)
})

test('the leading bytes of every supported video and audio format pass', async () => {
  const videos = ['video-2s.mp4', 'video-2s.mov', 'video-2s.webm']
  const sounds = ['audio-2s.mp3', 'audio-2s.m4a', 'audio-2s.aac', 'audio-2s.wav', 'voice-note-2s.ogg']
  const problems = await Promise.all([
    ...videos.map((name) => problemWith(name, '', relatives('VIDEO'))),
    ...sounds.map((name) => problemWith(name, '', relatives('AUDIO'))),
    // A recording in a container that could hold a video.
    problemWith('video-2s.mp4', 'audio/mp4', relatives('AUDIO'), 'a.m4a'),
  ])
  expect(problems.filter(Boolean)).toEqual([])
})

test('a photo is resized before its size can be refused, a video is not', () => {
  const file = (name: string, size: number) => {
    const made = new File(['x'], name)
    Object.defineProperty(made, 'size', { value: size })
    return made
  }
  expect(quickProblem(file('a.jpg', 20 * MB), relatives('IMAGE'))).toBeNull()
  expect(quickProblem(file('a.jpg', 0), relatives('IMAGE'))?.text).toMatch(/empty/u)
  expect(quickProblem(file('a.heic', 2 * MB), relatives('IMAGE'))?.text).toBe(
    'Please select a valid image file',
  )
  expect(quickProblem(file('a.mp4', 251 * MB), relatives('VIDEO'))?.title).toBe('File Too Large')
})

test('the original is sent if wanted and small enough, else the smaller copy', () => {
  const [original, smaller] = [new File(['large'], 'a.jpg'), new File(['s'], 'a.webp')]
  const checked = { original, smaller, mayKeep: true, problem: null }
  expect(fileToSend(checked, true)).toBe(original)
  expect(fileToSend(checked, false)).toBe(smaller)
  expect(fileToSend({ ...checked, mayKeep: false }, true)).toBe(smaller)
  expect(fileToSend({ ...checked, smaller: null }, false)).toBe(original)
})

test('by default, originals are sent only on Wi-Fi without data saver', () => {
  expect(
    [{ type: 'wifi' }, { type: 'wifi', saveData: true }, { type: 'cellular' }, {}, undefined].map(isOnWifi),
  ).toEqual([true, false, false, false, false])
})

test('the duration of an AVI is read from its header', async () => {
  const avi = new DataView(new ArrayBuffer(256))
  for (const [at, word] of [
    [0, 'RIFF'],
    [8, 'AVI LIST'],
    [20, 'hdrlavih'],
  ] as const) {
    for (const [index, letter] of [...word].entries()) avi.setUint8(at + index, letter.charCodeAt(0))
  }
  // 40 milliseconds per frame, 7,525 frames.
  avi.setUint32(32, 40_000, true)
  avi.setUint32(48, 7525, true)
  expect(aviDuration(new Uint8Array(avi.buffer))).toBe(301)
  const file = new File([avi], 'a.avi')
  const limited = { ...relatives('VIDEO'), maxDurationSec: 300 }
  expect((await checkMedia(file, limited)).problem?.text).toBe(
    'This video is longer than 5 minutes. Please choose a shorter one.',
  )
  expect((await checkMedia(file, relatives('VIDEO'))).problem).toBeNull()
  expect(aviDuration(await fixture('video-2s.webm'))).toBeNull()
})

test('the poster frame is at one second, or later if that is dark', () => {
  expect([posterTimes(20), posterTimes(1), posterTimes(Number.POSITIVE_INFINITY)]).toEqual([
    [1, 2, 5, 10],
    [0.5],
    [0],
  ])
})
