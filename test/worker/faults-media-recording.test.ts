import { test } from 'vitest'
import { expectMediaSurvive } from './faulty-media.ts'

test(
  'F4: a recording of a contributor, who may add only one is there once and whole, or not at all, whatever fails on the way',
  { timeout: 240_000 },
  () => expectMediaSurvive('a recording of a contributor, who may add only one'),
)
