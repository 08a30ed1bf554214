import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  announce,
  dismissToast,
  holdToast,
  releaseToast,
  showErrorToast,
  showToast,
  toastStore,
} from './toast-store.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  dismissToast()
  dismissToast()
  vi.useRealTimers()
})

const title = () => toastStore.get()?.title ?? null

test('a notification is shown for 5000 ms', () => {
  showToast({ title: 'Message Posted' })
  vi.advanceTimersByTime(4999)
  expect(title()).toBe('Message Posted')
  vi.advanceTimersByTime(1)
  expect(title()).toBeNull()
})

test('there is one notification at a time, and a new one has its own 5000 ms', () => {
  showToast({ title: 'Message Posted' })
  vi.advanceTimersByTime(4000)
  showErrorToast('Copy Failed', 'Please copy it by hand.')
  expect(toastStore.get()).toMatchObject({
    kind: 'error',
    title: 'Copy Failed',
    text: 'Please copy it by hand.',
  })
  vi.advanceTimersByTime(4999)
  expect(title()).toBe('Copy Failed')
  vi.advanceTimersByTime(1)
  expect(title()).toBeNull()
})

test('a notification stays while the user reads it', () => {
  showToast({ title: 'Message Posted' })
  holdToast()
  vi.advanceTimersByTime(60_000)
  expect(title()).toBe('Message Posted')
  releaseToast()
  vi.advanceTimersByTime(5000)
  expect(title()).toBeNull()
})

test('a notification stays long enough to be read before the next one appears', () => {
  showToast({ title: 'Welcome!' })
  vi.advanceTimersByTime(200)
  showToast({ title: 'Message Posted' })
  vi.advanceTimersByTime(1299)
  expect(title()).toBe('Welcome!')
  vi.advanceTimersByTime(1)
  expect(title()).toBe('Message Posted')
  vi.advanceTimersByTime(5000)
  expect(title()).toBeNull()
})

test('an error is shown at once, and drops the pending notification', () => {
  showToast({ title: 'Welcome!' })
  showToast({ title: 'Message Posted' })
  showErrorToast('Failed to Post')
  expect(title()).toBe('Failed to Post')
  vi.advanceTimersByTime(4999)
  expect(title()).toBe('Failed to Post')
})

test('closing a notification shows the pending one', () => {
  showToast({ title: 'Welcome!' })
  showToast({ title: 'Message Posted' })
  dismissToast()
  expect(title()).toBe('Message Posted')
})

test('what only screen readers hear leaves the notification as it is', () => {
  showErrorToast('Invalid File')
  announce('2 photos chosen')
  vi.advanceTimersByTime(2000)
  expect([title(), toastStore.spoken()]).toEqual(['Invalid File', '2 photos chosen'])
  // A live region is read again only if its text changes.
  announce('2 photos chosen')
  expect(toastStore.spoken()).toBe('2 photos chosen\u00a0')
  vi.advanceTimersByTime(5000)
  expect(toastStore.spoken()).toBe('')
})
