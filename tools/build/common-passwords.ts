/**
 * Writes src/worker/features/accounts/common-passwords.ts: the 3,000 most common passwords of at least 8 characters, from
 * zxcvbn's frequency list (MIT). Run: npx node tools/build/common-passwords.ts
 */
import { createRequire } from 'node:module'
import { writeFileSync } from 'node:fs'
import { PASSWORD_MIN } from '../../src/shared/limits.ts'

const COUNT = 3000
const lists = createRequire(import.meta.url)('zxcvbn/lib/frequency_lists.js') as { passwords: string[] }
const common = [...new Set(lists.passwords.map((password) => password.toLowerCase()))]
  .filter((password) => password.length >= PASSWORD_MIN && !/[\s'\\]/u.test(password))
  .slice(0, COUNT)
if (common.length !== COUNT) throw new Error(`only ${common.length} passwords found`)

writeFileSync(
  new URL('../../src/worker/features/accounts/common-passwords.ts', import.meta.url),
  `/** Made by tools/build/common-passwords.ts from the frequency list of zxcvbn (MIT); lower case, separated by spaces. */
export const COMMON_PASSWORDS =
  '${common.join(' ')}'
`,
)
