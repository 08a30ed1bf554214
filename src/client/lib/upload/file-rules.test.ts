import { expect, test } from 'vitest'
import {
  accept,
  contributorFileProblem,
  mediaTypeOf,
  profileImageProblem,
  programmeProblem,
  wizardFileProblem,
} from './file-rules.ts'

const MB = 1024 * 1024
const file = (name: string, type: string, size = 1000) => ({ name, type, size })

test('the wizard accepts files within its limits, by declared type', () => {
  const taken = [
    wizardFileProblem('IMAGE', file('a.jpg', 'image/jpeg', 50 * MB)),
    wizardFileProblem('IMAGE', file('a.webp', 'image/webp')),
    wizardFileProblem('VIDEO', file('a.mov', 'video/quicktime', 100 * MB)),
    wizardFileProblem('VIDEO', file('a.avi', 'video/x-msvideo')),
    wizardFileProblem('AUDIO', file('a.m4a', 'audio/x-m4a', 50 * MB)),
    wizardFileProblem('AUDIO', file('PTT-20260101-WA0001.opus', 'audio/ogg; codecs=opus')),
  ]
  expect(taken).toEqual([null, null, null, null, null, null])
})

test('the wizard accepts every supported format by type or extension', () => {
  const formats = {
    IMAGE: ['image/jpeg', 'image/jpg', 'image/png', 'image/webp'],
    VIDEO: ['video/mp4', 'video/quicktime', 'video/webm', 'video/x-msvideo'],
    AUDIO: ['audio/mpeg', 'audio/mp4', 'audio/x-m4a', 'audio/aac', 'audio/wav'],
  } as const
  const extensions = {
    IMAGE: ['jpeg', 'JPG', 'png', 'webp'],
    VIDEO: ['mp4', 'MOV', 'webm', 'avi'],
    AUDIO: ['mp3', 'M4A', 'aac', 'wav'],
  } as const
  for (const type of ['IMAGE', 'VIDEO', 'AUDIO'] as const) {
    const declared = formats[type].map((mime) => [mime, wizardFileProblem(type, file('x', mime))])
    const named = extensions[type].map((end) => [end, wizardFileProblem(type, file(`x.${end}`, ''))])
    expect([...declared, ...named].filter(([, problem]) => problem !== null)).toEqual([])
  }
})

test('the refusal names the kind of file that a contributor needs', () => {
  const pdf = file('a.pdf', 'application/pdf')
  expect((['IMAGE', 'VIDEO', 'AUDIO'] as const).map((type) => contributorFileProblem(type, pdf))).toEqual([
    { title: 'Invalid File', text: 'Please select a valid image file' },
    { title: 'Invalid File', text: 'Please select a valid video file' },
    { title: 'Invalid File', text: 'Please select a valid audio file' },
  ])
})

test('a file without a declared type is judged by its extension', () => {
  expect(wizardFileProblem('AUDIO', file('note.OGG', ''))).toBeNull()
  expect(wizardFileProblem('VIDEO', file('clip.mp4', 'application/octet-stream'))).toBeNull()
  expect(wizardFileProblem('IMAGE', file('jpg', ''))?.text).toBe(
    'Please select a valid image file (JPEG, PNG, or WebP)',
  )
})

test('the declared type takes precedence over the extension', () => {
  expect(wizardFileProblem('IMAGE', file('a.png', 'text/html'))).toEqual({
    title: 'Invalid File',
    text: 'Please select a valid image file (JPEG, PNG, or WebP)',
  })
  expect(wizardFileProblem('IMAGE', file('a.svg', 'image/svg+xml'))?.title).toBe('Invalid File')
})

test('the wizard and the portrait and programme pickers show their own messages', () => {
  const words = [
    wizardFileProblem('IMAGE', file('a.jpg', 'image/jpeg', 50 * MB + 1))?.text,
    wizardFileProblem('VIDEO', file('a.mp4', 'video/mp4', 100 * MB + 1))?.text,
    wizardFileProblem('AUDIO', file('a.mp3', 'audio/mpeg', 50 * MB + 1))?.text,
    wizardFileProblem('VIDEO', file('a.jpg', 'image/jpeg'))?.text,
    wizardFileProblem('AUDIO', file('a.jpg', 'image/jpeg'))?.text,
    profileImageProblem(file('a.pdf', 'application/pdf'))?.text,
    profileImageProblem(file('a.jpg', 'image/jpeg', 15 * MB + 1))?.text,
    programmeProblem(file('a.jpg', 'image/jpeg'))?.text,
    programmeProblem(file('a.pdf', 'application/pdf', 15 * MB + 1))?.text,
  ]
  expect(words).toEqual([
    'Image file size must be less than 50MB',
    'Video file size must be less than 100MB',
    'Audio file size must be less than 50MB',
    'Please select a valid video file (MP4, MOV, or WebM)',
    'Please select a valid audio file (MP3, M4A, or WAV)',
    'Please select an image file',
    'Please select an image smaller than 15MB',
    'Only PDF files are allowed for funeral programs',
    'Please select a PDF file smaller than 15MB',
  ])
})

test('a contributor sees both sizes, and how to make a video smaller', () => {
  expect(contributorFileProblem('VIDEO', file('a.mp4', 'video/mp4', 312 * MB))).toEqual({
    title: 'File Too Large',
    text: 'File size (312 MB) exceeds the maximum allowed size (250 MB)',
    advice:
      'This video is 312 MB; the limit is 250 MB. On WhatsApp, send it to yourself first: that makes it smaller.',
  })
  expect(contributorFileProblem('IMAGE', file('a.jpg', 'image/jpeg', 16 * MB))).toEqual({
    title: 'File Too Large',
    text: 'File size (16 MB) exceeds the maximum allowed size (15 MB)',
  })
  const own = contributorFileProblem('IMAGE', file('a.jpg', 'image/jpeg', 16 * MB), 'owner')
  expect(own, 'an owner may add larger ones').toBeNull()
})

test('the refusal of a wrong file names the expected kind', () => {
  const text = file('a.txt', 'text/plain')
  const kinds = ['IMAGE', 'VIDEO', 'AUDIO', null] as const
  expect(kinds.map((kind) => contributorFileProblem(kind, text)?.text)).toEqual([
    'Please select a valid image file',
    'Please select a valid video file',
    'Please select a valid audio file',
    'Please select a valid image/video/audio file',
  ])
  expect(contributorFileProblem(null, file('a.zip', 'application/zip', 11 * MB))).toEqual({
    title: 'File Too Large',
    text: 'File size (11 MB) exceeds the maximum allowed size (10 MB)',
  })
})

test('an empty file is refused everywhere', () => {
  const empty = 'This file is empty. Please choose another one.'
  expect(wizardFileProblem('IMAGE', file('a.jpg', 'image/jpeg', 0))?.text).toBe(empty)
  expect(contributorFileProblem('IMAGE', file('a.jpg', 'image/jpeg', 0))?.text).toBe(empty)
  expect(programmeProblem(file('a.pdf', 'application/pdf', 0))?.text).toBe(empty)
})

test('the media type comes from the declared type or the extension', () => {
  expect(
    [file('a.png', 'image/png'), file('a.webm', 'video/webm'), file('a.opus', ''), file('a.pdf', '')].map(
      mediaTypeOf,
    ),
  ).toEqual(['IMAGE', 'VIDEO', 'AUDIO', null])
  expect(accept.programme).toBe('application/pdf,application/x-pdf,.pdf')
})
