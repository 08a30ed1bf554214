import { test } from 'vitest'
import { expectPlaceTold } from './location-leaks.ts'

test(
  'M14: no answer of any call tells the place of a memorial that is PRIVATE, whatever its owner shows',
  { timeout: 60_000 },
  () => expectPlaceTold('PRIVATE', true),
)
