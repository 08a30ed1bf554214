import { DataSet, englishDataset, englishRecommendedTransformers, RegExpMatcher } from 'obscenity'
import { ALLOWED, ANYWHERE, ENGLISH, SELLING, TENDER_ORIGINALS } from './english-words.ts'
import { readingsOf } from './plain-words.ts'
import { PRAYERS } from './prayers.ts'
import { NDEBELE, SELLING_SHONA_NDEBELE, SHONA } from './shona-ndebele-words.ts'

/** Words that operators added on the console. */
export type WordLists = { held: readonly string[]; allowed: readonly string[] }

/** Between the words of a phrase. A full stop ends it. */
const BETWEEN = '[\\s,"*_-]'
const HELD_BY_US = wordsPattern([...ENGLISH, ...SHONA, ...NDEBELE])
const ALLOWED_BY_US = wordsPattern(ALLOWED)
const KNOWN_PRAYERS = wordsPattern(PRAYERS)
const SOLD = [...SELLING, ...SELLING_SHONA_NDEBELE].map((part) => wordsPattern([part]))
/** So many different words of {@link SELLING} hold a message; one more for each so many letters, because long letters use many words. */
const SOLD_MIN = 3
const SOLD_MORE_PER = 150
/** Swearing with signs for letters: "f***", "sh*t". */
const CENSORED =
  /(?<![a-z])(?:f[*#@$%_-]{1,3}k?|s[h*]?[*#]+t|b[*#]+ch|c[*#]+t|wh[*#]+re)(?:ing|er|ed|s)?(?![a-z0-9*#])/u

/** What may follow a word of the library. */
const ENDING = /^(?:s|es|ed|er|ers|ing|in|y|ies)?(?![\p{L}\p{N}])/u

type Phrase = { originalWord: string }
const english = new DataSet<Phrase>()
  .addAll(englishDataset)
  .removePhrasesIf(({ metadata }) => metadata !== undefined && TENDER_ORIGINALS.has(metadata.originalWord))
const matcher = new RegExpMatcher({ ...english.build(), ...englishRecommendedTransformers })

/** Whether plain text (`plainText`) has words that may hurt, or sell something. */
export function hasHurtfulWords(plain: string, { held, allowed }: WordLists): boolean {
  const added = held.length > 0 ? wordsPattern(held.map(literal)) : null
  const tender = allowed.length > 0 ? wordsPattern(allowed.map(literal)) : null
  return readingsOf(plain).some((reading) => {
    const words = reading.replace(ALLOWED_BY_US, '|')
    const rest = tender ? words.replace(tender, '|') : words
    const found = [HELD_BY_US, added].some((pattern) => pattern !== null && rest.search(pattern) >= 0)
    return found || isSelling(rest) || CENSORED.test(rest) || isObscene(rest)
  })
}

/** Whether plain text has a prayer that many people leave, or a phrase that an operator allows. */
export function isWidelyUsed(plain: string, { allowed }: WordLists): boolean {
  const added = allowed.length > 0 ? wordsPattern(allowed.map(literal)) : null
  return [KNOWN_PRAYERS, added].some((pattern) => pattern !== null && plain.search(pattern) >= 0)
}

function isSelling(text: string): boolean {
  const count = SOLD.filter((pattern) => text.search(pattern) >= 0).length
  return count >= SOLD_MIN + Math.floor(text.length / SOLD_MORE_PER)
}

/** What the library finds as a whole word; its worst words anywhere. Names, and ordinary Shona and Ndebele words, begin like the others. */
function isObscene(text: string): boolean {
  return matcher.getAllMatches(text).some((match) => {
    const original = english.getPayloadWithPhraseMetadata(match).phraseMetadata?.originalWord ?? ''
    const isStart = !/[\p{L}\p{N}]/u.test(text[match.startIndex - 1] ?? '')
    return ANYWHERE.has(original) || (isStart && ENDING.test(text.slice(match.endIndex + 1)))
  })
}

/** Finds any of these whole words; white space between them doesn't matter. Tilde: any further letters. */
function wordsPattern(parts: readonly string[]): RegExp {
  const words = parts.map((part) =>
    part.replaceAll('~', "[\\p{L}']*").replaceAll(' ?', `${BETWEEN}*`).replaceAll(' ', `${BETWEEN}+`),
  )
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join('|')})(?![\\p{L}\\p{N}])`, 'gu')
}

/** An operator's word, where a star at the end stands for any further letters. */
function literal(word: string): string {
  const stem = word.replaceAll(/[*~]/gu, '').replace(/[\\^$.|?+()[\]{}/]/gu, '\\$&')
  return word.endsWith('*') ? `${stem}~` : stem
}
