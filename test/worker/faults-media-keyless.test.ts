import { test } from 'vitest'
import { expectMediaSurvive } from './faulty-media.ts'

test(
  'F4: a photo from a client that sends no key is there once and whole, or not at all, whatever fails on the way',
  { timeout: 240_000 },
  () => expectMediaSurvive('a photo from a client that sends no key'),
)
