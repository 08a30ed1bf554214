import type { HoldReason } from '#shared/removal/held.ts'
import { hasHurtfulWords, type WordLists } from './hurtful-words.ts'
import { plainText } from './plain-words.ts'

/** What somebody wrote: the name that they gave, how they knew the person, and the words. */
export type Written = { name: string; relation?: string | null | undefined; body: string }

/**
 * What a rule finds in these words, the worst first; null for nothing. It decides nothing: the family reads what is held, and shows or
 * declines it.
 */
export function findHoldReason({ name, relation, body }: Written, lists: WordLists): HoldReason | null {
  const plain = plainText([name, relation ?? '', body].filter((part) => part !== '').join(' \n '))
  if (hasHurtfulWords(plain, lists)) return 'WORDS'
  // An address of a mailbox also looks like that of a page.
  if (hasMailAddress(plain)) return 'CONTACT'
  if (hasLink(plain)) return 'LINK'
  if (hasPhoneNumber(plain)) return 'CONTACT'
  return isShouted(body) ? 'SHOUTING' : null
}

const DOT = String.raw`(?:\.|\s?[([{]\s?(?:\.|dot)\s?[)\]}]\s?|\sdot\s)`
/** Endings that are no words, so that a forgotten space after a full stop is no link. */
const ENDINGS = '(?:com|org|net|info|biz|xyz|top|online|site|shop|store|club|click|website|africa|co|ac|gov)'
/** Endings that are words, and short addresses: links only with a path behind them. */
const WITH_PATH = '(?:me|ly|gl|io|app|tv|be|to|in|us|ru|cc|uk|zw|za|link|live|page|gg)'
const LINK = new RegExp(
  String.raw`h(?:tt|xx|\*\*)ps?\s*:|h\s?t\s?t\s?p\s?s?\s?:|\bwww\s?\.\s?[a-z0-9]|(?<![a-z0-9])[a-z0-9-]{2,}(?:${DOT}[a-z0-9-]+)*${DOT}(?:${ENDINGS}(?:${DOT}[a-z]{2})?(?![a-z])|${WITH_PATH}\s?/)|(?<![a-z0-9])t\.me/`,
  'u',
)
const MAIL = new RegExp(
  String.raw`[a-z0-9._%+-]+\s?(?:@|[([{]\s?(?:at|@)\s?[)\]}]|\sat\s)\s?[a-z0-9-]+(?:${DOT}[a-z0-9-]+)*${DOT}[a-z]{2,}`,
  'u',
)
/** "at" and "dot" are ordinary words, and so is a full stop without a space: those need a known ending. */
const SURE_MAIL = new RegExp(String.raw`@\s?[a-z0-9-]+|${DOT}${ENDINGS}(?![a-z])`, 'u')

function hasLink(plain: string): boolean {
  return LINK.test(plain)
}

function hasMailAddress(plain: string): boolean {
  const found = MAIL.exec(plain)
  return found !== null && SURE_MAIL.test(found[0])
}

const YEAR = '(?:1[789]\\d\\d|20\\d\\d)'
/** Dates, years, times, verses: figures that mourners write. */
const DATES = new RegExp(
  [
    String.raw`\b\d{1,2}\s?[./-]\s?\d{1,2}\s?[./-]\s?(?:${YEAR}|\d\d)\b`,
    String.raw`\b${YEAR}[./-]\d{1,2}[./-]\d{1,2}\b`,
    String.raw`\b${YEAR}(?:\s?[-–—/]\s?(?:${YEAR}|\d\d))?\b`,
    String.raw`\b\d{1,3}\s?:\s?\d{1,3}(?:\s?[-–—]\s?\d{1,3})?`,
  ].join('|'),
  'gu',
)
const FIGURES: Record<string, string> = {
  zero: '0',
  one: '1',
  two: '2',
  three: '3',
  four: '4',
  five: '5',
  six: '6',
  seven: '7',
  eight: '8',
  nine: '9',
}
const NUMBER_WORDS = /(?:\b(?:zero|one|two|three|four|five|six|seven|eight|nine)\b[ \t.,-]*){7,}/gu
/** A telephone number has nine figures or more (ITU E.164: at most fifteen). */
const PHONE_MIN = 9

function hasPhoneNumber(plain: string): boolean {
  const figures = plain
    .replace(/\b[\doils+-]*\d[\doils-]*\b/gu, (word) =>
      word.replace(/o/gu, '0').replace(/[il]/gu, '1').replace(/s/gu, '5'),
    )
    .replace(NUMBER_WORDS, (words) =>
      words.replace(/[a-z]+/gu, (word) => FIGURES[word] ?? '').replace(/[ \t.,-]/gu, ''),
    )
  return [figures.replace(DATES, '|'), figures].some((text, isWhole) =>
    (text.match(/\+?\(?\d(?:[ \t.()\-–/]{0,2}\d){6,}/gu) ?? []).some((found) =>
      isPhone(found, isWhole === 1),
    ),
  )
}

/** Written in one piece, a number is one even if a part of it looks like a year. */
function isPhone(found: string, isWhole: boolean): boolean {
  const digits = found.replace(/\D/gu, '')
  if (digits.length < PHONE_MIN) return false
  if (/^\+|^\(?0/u.test(found)) return true
  return !isWhole && (/^(?:263|27|44|267|260|258|61|1)\d/u.test(digits) || /^7[1378]\d{7}$/u.test(digits))
}

/** Old phones write nothing but capitals: only long or angry capitals are shouting. */
const LONG_CAPITALS = 250
const ANGRY_CAPITALS = 60
const ANGRY_SIGNS = 6

function isShouted(body: string): boolean {
  const capitals = body.match(/\p{Lu}/gu)?.length ?? 0
  const letters = body.match(/\p{L}/gu)?.length ?? 0
  if (capitals < letters * 0.8) return false
  const signs = body.match(/[!?]/gu)?.length ?? 0
  return capitals >= LONG_CAPITALS || (capitals >= ANGRY_CAPITALS && signs >= ANGRY_SIGNS)
}
