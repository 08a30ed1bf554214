import { expect, test } from 'vitest'
import { codeAt, fromBase32, keyUri, stepAt, stepOf, toBase32 } from '#worker/features/passkeys/totp.ts'

const SECRET = new TextEncoder().encode('12345678901234567890')

// RFC 6238, appendix B: seconds since 1970, and the code of SHA-1 with 8 digits.
test.each([
  [59, '94287082'],
  [1111111109, '07081804'],
  [1111111111, '14050471'],
  [1234567890, '89005924'],
  [2000000000, '69279037'],
  [20000000000, '65353130'],
])('the code after %i seconds is %s', (seconds, code) => {
  expect(codeAt(SECRET, stepAt(seconds * 1000), 8)).toBe(code)
  expect(codeAt(SECRET, stepAt(seconds * 1000))).toBe(code.slice(2))
})

test('a code is right now, and one step earlier and later', () => {
  const now = 1_111_111_109_000
  const found = [-2, -1, 0, 1, 2].map((offset) => {
    const step = stepOf(SECRET, codeAt(SECRET, stepAt(now) + offset), now)
    return step === null ? null : step - stepAt(now)
  })
  expect(found).toEqual([null, -1, 0, 1, null])
})

// RFC 4648, section 10, without padding.
test.each([
  ['', ''],
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foob', 'MZXW6YQ'],
  ['fooba', 'MZXW6YTB'],
  ['foobar', 'MZXW6YTBOI'],
])('%j is %j in Base32', (text, base32) => {
  expect(toBase32(new TextEncoder().encode(text))).toBe(base32)
  expect(new TextDecoder().decode(fromBase32(base32))).toBe(text)
})

test('an app is told who issued the secret, and for whom', () => {
  expect(keyUri('MZXW6', 'Keeping Legacies Alive', 'rudo+x@family.test')).toBe(
    'otpauth://totp/Keeping%20Legacies%20Alive:rudo%2Bx%40family.test?secret=MZXW6&issuer=Keeping%20Legacies%20Alive',
  )
})
