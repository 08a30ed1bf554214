import { CARD_FONT } from '#worker/features/previews/card-font.ts'

export type FittedText = { lines: string[]; size: number }

/** From the largest; a text takes the first in which it stands on so many lines. Else the smallest, on any number. */
export type Sizes = { steps: readonly { size: number; lines: number }[]; smallest: number }

/** Of a name on a card. Pixels. */
const NAME: Sizes = {
  steps: [
    { size: 84, lines: 2 },
    { size: 72, lines: 2 },
    { size: 64, lines: 3 },
    { size: 54, lines: 4 },
    { size: 46, lines: 5 },
  ],
  smallest: 36,
}
/** Thousandths: a letter that the font does not have is as wide as the widest scripts have them. */
const UNKNOWN = 1000
/** What emoji are made of beside pictures: joiners, variants, tones of skin, letters of flags. */
const EMOJI = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\u200d]|[\ufe0e\ufe0f]/u

let known: Map<string, number> | undefined

/**
 * A name as the font of the cards can write it: without emoji. Null where a letter is missing in the font: half a name, or
 * boxes in the place of letters, would be worse than none.
 */
export function writableName(name: string): string | null {
  const widths = letterWidths()
  const writable = withoutEmoji(name)
  return writable !== '' && [...writable].every((letter) => widths.has(letter)) ? writable : null
}

/** A text without emoji, in one line. */
export function withoutEmoji(text: string): string {
  const widths = letterWidths()
  const letters = [...text].filter((letter) => widths.has(letter) || !EMOJI.test(letter))
  return letters.join('').trim().replaceAll(/\s+/gu, ' ')
}

/** The name of a card, as large as fits into `width` pixels. */
export function fitName(name: string, width: number): FittedText {
  return fitText(name, width, NAME)
}

/**
 * A text broken into lines of about the same width, as large as fits into `width`, which is of the same unit as the sizes. A
 * word that is longer than a line is broken where the line ends.
 */
export function fitText(text: string, width: number, { steps, smallest }: Sizes): FittedText {
  const words = text.split(' ')
  for (const { size, lines: most } of steps) {
    if (words.some((word) => widthOf(word, size) > width)) continue
    const lines = wrap(words, size, width)
    if (lines.length <= most) return { size, lines: balance(words, size, width, lines.length) }
  }
  const pieces = words.flatMap((word) => broken(word, smallest, width))
  const lines = wrap(pieces, smallest, width)
  return { size: smallest, lines: balance(pieces, smallest, width, lines.length) }
}

/** The width of a text in the unit of its size. Pairs that stand closer together make it a little less. */
export function widthOf(text: string, size: number): number {
  const widths = letterWidths()
  let sum = 0
  for (const letter of text) sum += widths.get(letter) ?? UNKNOWN
  return (sum * size) / 1000
}

function wrap(words: readonly string[], size: number, width: number): string[] {
  const lines: string[] = []
  for (const word of words) {
    const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : word
    if (lines.length > 0 && widthOf(longer, size) <= width) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}

/** The same number of lines in the smallest width that still holds them: no word stands alone below a full line. */
function balance(words: readonly string[], size: number, width: number, count: number): string[] {
  let best = wrap(words, size, width)
  for (let narrower = width - size / 4; narrower > 0; narrower -= size / 4) {
    const lines = wrap(words, size, narrower)
    if (lines.length > count || lines.some((line) => widthOf(line, size) > narrower)) break
    best = lines
  }
  return best
}

function broken(word: string, size: number, width: number): string[] {
  const pieces: string[] = ['']
  for (const letter of word) {
    const longer = `${pieces.at(-1)}${letter}`
    if (widthOf(longer, size) <= width) pieces[pieces.length - 1] = longer
    else pieces.push(letter)
  }
  return pieces
}

/** MailTemplate -> thousandths of its size. */
function letterWidths(): Map<string, number> {
  if (known) return known
  known = new Map()
  for (const run of CARD_FONT.trim().split('\n')) {
    const [first = '', widths = ''] = run.split(': ')
    for (const [index, width] of widths.split(' ').entries()) {
      known.set(String.fromCodePoint(Number.parseInt(first, 16) + index), Number(width))
    }
  }
  return known
}
