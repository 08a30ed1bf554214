/**
 * The account that has gifts which nobody has redeemed yet. It's made with the first gift, nobody can sign in to it, and it can use
 * no credit.
 */
export const GIFT_ACCOUNT = 'usr_gifts'

/** The stored form of a code as people type it: `ABCD EFGH …` or `abcd-efgh-…`; null if it can't be one. */
export function readGiftCode(typed: string): string | null {
  // The letter O isn't in any code, but looks like a zero.
  const code = typed
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/gu, '')
    .replaceAll('o', '0')
  return /^[a-hjkmnp-z02-9]{16}$/u.test(code) ? code : null
}

/** `ABCD-EFGH-JKMN-PQRS`, as it is printed. */
export function printGiftCode(code: string): string {
  return code.toUpperCase().replaceAll(/(.{4})(?=.)/gu, '$1-')
}
