import { test } from 'vitest'
import { expectMediaSurvive } from './faulty-media.ts'

test(
  'F4: a new programme for an old one is there once and whole, or not at all, whatever fails on the way',
  { timeout: 240_000 },
  () => expectMediaSurvive('a new programme for an old one'),
)
