import { test } from 'vitest'
import { expectPlaceTold } from './location-leaks.ts'

test(
  'M14: no answer of any call tells the place of a memorial that is INVITE before its owner shows it',
  { timeout: 60_000 },
  () => expectPlaceTold('INVITE', false),
)

test(
  'M14: the place of a memorial that is INVITE, once shown, is told by three calls to those who may see it, and by no other',
  { timeout: 60_000 },
  () => expectPlaceTold('INVITE', true),
)
