import { test } from 'vitest'
import { expectPiecesSurvive } from './faulty-pieces.ts'

test(
  'F4: a recording sent in pieces is there once and whole, whichever call fails on the way',
  { timeout: 240_000 },
  () => expectPiecesSurvive('before'),
)
