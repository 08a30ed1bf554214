import { test } from 'vitest'
import { expectPlaceTold } from './location-leaks.ts'

test(
  'M14: no answer of any call tells the place of a memorial that is LOCKED before its owner shows it',
  { timeout: 60_000 },
  () => expectPlaceTold('LOCKED', false),
)

test(
  'M14: the place of a memorial that is LOCKED, once shown, is told by three calls and the public page, and by no other',
  { timeout: 60_000 },
  () => expectPlaceTold('LOCKED', true),
)
