/** Cyrillic and Greek letters that look like Latin ones, and what people write for them. */
const LOOK_ALIKES = new Map(
  Object.entries({
    а: 'a',
    в: 'b',
    е: 'e',
    ё: 'e',
    к: 'k',
    м: 'm',
    н: 'h',
    о: 'o',
    р: 'p',
    с: 'c',
    т: 't',
    у: 'y',
    х: 'x',
    і: 'i',
    ї: 'i',
    ј: 'j',
    ѕ: 's',
    ԁ: 'd',
    ц: 'u',
    α: 'a',
    β: 'b',
    ε: 'e',
    η: 'n',
    ι: 'i',
    κ: 'k',
    ν: 'v',
    ο: 'o',
    ρ: 'p',
    τ: 't',
    υ: 'u',
    χ: 'x',
    ı: 'i',
    '’': "'",
    '‘': "'",
    '`': "'",
  }),
)
const LEET: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
}

/** Lower case, Latin letters for those that look like them, no marks, nothing invisible. Line breaks stay. */
export function plainText(text: string): string {
  const bare = text
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .toLowerCase()
  return bare.replace(/[^\p{ASCII}]/gu, (letter) => LOOK_ALIKES.get(letter) ?? letter)
}

/** The ways in which plain text can be read: as it is; with figures for letters; with letters kept apart; with letters repeated. */
export function readingsOf(plain: string): string[] {
  const joined = joinLetters(plain)
  const letters = joined.replace(/[a-z0-9@$!]+/gu, asLetters)
  return [...new Set([plain, joined, letters].flatMap((text) => [text, withoutRuns(text)]))]
}

/** "m.u.r.o.y.i" and "f u c k" as words. Four or more, because three are initials. */
function joinLetters(text: string): string {
  return text.replace(/(?<![a-z])[a-z]([ .\-_*]{1,2})[a-z](?![a-z])(?:\1[a-z](?![a-z])){2,}/gu, (spaced) =>
    spaced.replace(/[^a-z]/gu, ''),
  )
}

/** Only between letters: "b1tch" has a figure for a letter, "1943" and "mum!" don't. */
function asLetters(word: string): string {
  if (!/[a-z]/u.test(word)) return word
  const body = word.replace(/!+$/u, '')
  return body.replace(/[013457@$!]/gu, (sign) => LEET[sign] ?? sign) + word.slice(body.length)
}

function withoutRuns(text: string): string {
  return text.replace(/([a-z])\1{2,}/gu, '$1')
}

/** The words alone, to compare messages: no case, marks, figures' punctuation, or white space. */
export function normalisedWords(text: string): string {
  return plainText(text)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
