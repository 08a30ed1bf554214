import { expect, test } from 'vitest'
import { isPending, newUploadItem, nextUpload, type UploadEvent, type UploadItem } from './upload-item.ts'

const photo = new File(['a photo'], 'photo.jpg', { type: 'image/jpeg' })
const smaller = new File(['small'], 'photo.webp', { type: 'image/webp' })
const checked = { original: photo, smaller, mayKeep: true, problem: null }
const started: UploadEvent = { type: 'started', file: smaller, original: photo }

function after(...events: UploadEvent[]): UploadItem {
  return events.reduce(nextUpload, newUploadItem(photo, { type: 'IMAGE' }))
}

test('an upload passes through its states, and is pending while in the queue', () => {
  const events: UploadEvent[] = [
    { type: 'checked', checked },
    { type: 'queued' },
    started,
    { type: 'blocked', by: 'network' },
    { type: 'blocked', by: null },
    { type: 'blocked', by: 'room' },
    { type: 'blocked', by: 'user' },
    { type: 'failed', problem: 'No', canRetry: true },
    { type: 'queued' },
  ]
  const items = events.map((_, index) => after(...events.slice(0, index + 1)))
  expect(items.map(({ state }) => state)).toEqual([
    'ready',
    'waiting',
    'sending',
    'offline',
    'sending',
    'held',
    'paused',
    'failed',
    'waiting',
  ])
  expect(items.map(isPending)).toEqual([false, true, true, true, true, true, true, false, true])
})

test('a check that ends after the upload was queued leaves it in the queue', () => {
  expect(after({ type: 'queued' }, { type: 'checked', checked })).toMatchObject({ state: 'waiting', checked })
})

test('a started upload keeps its file when it is sent again', () => {
  const failed = after(
    { type: 'checked', checked },
    started,
    { type: 'progressed', progress: 0.5 },
    { type: 'failed', problem: 'No', canRetry: false },
  )
  expect(failed).toMatchObject({ progress: 0, problem: 'No', canRetry: false, original: photo })
  expect([failed.file, failed.checked?.original, failed.checked?.smaller]).toEqual([smaller, smaller, null])
  expect(nextUpload(failed, { type: 'queued' })).toMatchObject({ state: 'waiting', problem: null })
})
