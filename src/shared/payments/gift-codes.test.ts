import { expect, test } from 'vitest'
import { printGiftCode, readGiftCode } from './gift-codes.ts'

test('a code is read however people type it, and printed in groups of four', () => {
  const code = 'nfv4q0jsnqx36p7t'
  const typed = ['NFV4-Q0JS-NQX3-6P7T', ' nfv4 q0js nqx3 6p7t ', 'nfv4QOJSnqx36p7t', code]
  expect(typed.map(readGiftCode)).toEqual([code, code, code, code])
  expect(printGiftCode(code)).toBe('NFV4-Q0JS-NQX3-6P7T')
  expect(['', 'nfv4', `${code}a`, 'nfv4q1jsnqx36p7t', 'nfv4qijsnqx36p7t'].map(readGiftCode)).toEqual(
    Array(5).fill(null),
  )
})
