import { test } from 'vitest'
import { expectWithstood } from './hostile-json.ts'

test(
  'W11: no shape of JSON breaks a call or sets what is not for it to set (part 8 of 9)',
  { timeout: 240_000 },
  () => expectWithstood(7),
)
