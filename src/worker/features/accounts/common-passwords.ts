import dataUri from '#worker/features/accounts/common-passwords.bin?url&inline'
import { isInFilter } from '#worker/features/accounts/bloom-filter.ts'
import { bytesOfDataUri } from '#worker/platform/bytes.ts'

/** Words from our brand and pages, which attackers try first (ASVS 6.2.11). */
const BRAND_WORDS = ['keeping', 'legacies', 'legacy', 'alive', 'nhaka', 'memorial', 'memorials']

let filter: Uint8Array | undefined

/**
 * True for the 100,000 most common passwords in any letter case, and for our brand's words with or without digits and signs.
 * One of 15,000 other passwords is taken for a common one (tools/build/common-passwords.ts).
 */
export function isCommonPassword(password: string): boolean {
  filter ??= bytesOfDataUri(dataUri)
  return (
    isInFilter(filter, password.normalize('NFC').toLowerCase()) || isMadeOf(lettersOf(password), BRAND_WORDS)
  )
}

/**
 * True for a password that is only words of the person's name or address, in any order, letter case and number, whatever
 * digits and signs are between and around them: `Rudo1975`, `moyo.rudo!`, the address itself.
 */
export function isOwnName(
  password: string,
  { email, firstName, lastName }: { email: string; firstName: string; lastName: string },
): boolean {
  const words = [email, firstName, lastName].flatMap((text) => text.split(/[^\p{L}\p{M}]+/u).map(lettersOf))
  const lower = password.toLowerCase()
  return (
    lower === email ||
    // Without a letter in it, for example a telephone number.
    lower === email.slice(0, email.indexOf('@')) ||
    isMadeOf(lettersOf(password), words)
  )
}

/** The letters of a text, in lower case and without accents. */
function lettersOf(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\P{L}+/gu, '')
}

/** True if words of this list, put together, make the text. Takes time in proportion to the text, unlike a regular expression. */
function isMadeOf(text: string, words: readonly string[]): boolean {
  const ends = new Set([0])
  for (let at = 0; at < text.length; at++) {
    if (!ends.has(at)) continue
    for (const word of words) if (text.startsWith(word, at)) ends.add(at + word.length)
  }
  return text !== '' && ends.has(text.length)
}
