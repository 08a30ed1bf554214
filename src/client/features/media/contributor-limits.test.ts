import { expect, test } from 'vitest'
import { remainingQuota, limitsText, quotaProblem } from './contributor-limits.ts'

const quotas = (images: number, video: number, audio: number) => ({
  images: { max: 10, used: images },
  video: { max: 1, used: video, maxDurationSec: 300, usedDurationSec: 0 },
  audio: { max: 1, used: audio, maxDurationSec: 600, usedDurationSec: 0 },
})

test('the limits are shown before anything is added', () => {
  expect(limitsText(quotas(0, 0, 0))).toBe(
    'You can add 10 photos, 1 video (up to 5 minutes) and 1 recording (up to 10 minutes).',
  )
})

test('media that are already uploaded count towards the limits', () => {
  expect(limitsText(quotas(2, 0, 1))).toBe(
    'You can add 10 photos, 1 video (up to 5 minutes) and 1 recording (up to 10 minutes). You have added 2 photos and 1 recording.',
  )
})

test('running uploads count, and a file over the limit fails before it is sent', () => {
  const remaining = remainingQuota(quotas(8, 0, 1), [
    { type: 'IMAGE', state: 'sending' },
    { type: 'IMAGE', state: 'failed' },
  ])
  expect(remaining).toEqual({ IMAGE: 1, VIDEO: 1, AUDIO: 0 })
  expect([
    quotaProblem('IMAGE', remaining),
    quotaProblem('IMAGE', remaining),
    quotaProblem('AUDIO', remaining),
  ]).toEqual([
    null,
    { title: 'Too Many Photos', text: 'You can add up to 10 photos to a memorial' },
    { title: 'Upload Failed', text: 'You can add one recording of up to 10 minutes to a memorial' },
  ])
})
