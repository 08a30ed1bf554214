import { test } from 'vitest'
import { expectMediaSurvive } from './faulty-media.ts'

test(
  'F4: a video shows the picture that stood for it or the new one, whole, and keeps no other, whatever fails on the way',
  { timeout: 240_000 },
  () => expectMediaSurvive('the poster of a video'),
)
