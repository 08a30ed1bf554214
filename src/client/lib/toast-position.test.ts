import { expect, test } from 'vitest'
import { liftAbove } from './toast-position.ts'

test('a notification is at the bottom while nothing is there', () => {
  expect(liftAbove([], 800, 50)).toBe(16)
  // Off the screen, hidden, and higher up.
  const harmless = [
    { top: 900, bottom: 980 },
    { top: 0, bottom: 0 },
    { top: 100, bottom: 600 },
  ]
  expect(liftAbove(harmless, 800, 50)).toBe(16)
})

test('a notification is above what is at the bottom, and above what is above that', () => {
  const banner = { top: 740, bottom: 800 }
  const buttons = { top: 640, bottom: 700 }
  expect(liftAbove([banner], 800, 50)).toBe(76)
  expect(liftAbove([buttons, banner], 800, 50)).toBe(176)
  // Scrolled half out of the window.
  expect(liftAbove([{ top: 780, bottom: 840 }], 800, 50)).toBe(36)
})

test('a notification never leaves a window that is too low', () => {
  expect(liftAbove([{ top: 10, bottom: 200 }], 200, 50)).toBe(150)
})
