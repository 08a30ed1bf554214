import { CARD_FONT } from '#worker/features/previews/card-font.ts'

export type FittedText = { lines: string[]; size: number }

/** Sizes from the largest: a text gets the first size at which it fits into that many lines, else the smallest. */
export type Sizes = { steps: readonly { size: number; lines: number }[]; smallest: number }

/** For a name on a card, in pixels. */
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
/** In thousandths. Assumes that a character missing in the font is as wide as in the widest scripts. */
const UNKNOWN = 1000
/** Emoji and their modifiers: joiners, variation selectors, skin tones and flag letters. */
const EMOJI = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\u200d]|[\ufe0e\ufe0f]/u

let widthsByLetter: Map<string, number> | undefined

/** A name without emoji; null if the card font lacks a letter, because half a name would be worse than none. */
export function writableName(name: string): string | null {
  const widths = letterWidths()
  const writable = withoutEmoji(name)
  return writable !== '' && [...writable].every((letter) => widths.has(letter)) ? writable : null
}

/** Letters of the Shona spelling of 1931, which some names keep, in today's. */
const OLD_SHONA: Record<string, string> = { ɓ: 'b', ɗ: 'd', ȿ: 'sv', ɀ: 'zv', ʋ: 'v', Ɓ: 'B', Ɗ: 'D', Ʋ: 'V' }

/**
 * Like {@link writableName}, but a letter that the font lacks becomes the letter below its rare mark, or today's spelling. For
 * paper that is read once: an engraver never gets it.
 */
export function nearlyWritable(text: string): string | null {
  const exact = writableName(text)
  if (exact !== null) return exact
  const widths = letterWidths()
  const near = [...text.normalize('NFC')].map((letter) =>
    widths.has(letter) ? letter : (OLD_SHONA[letter] ?? letter.normalize('NFD').replace(/\p{M}+/gu, '')),
  )
  return writableName(near.join(''))
}

/** Returns a text without emoji, in one line. */
export function withoutEmoji(text: string): string {
  const widths = letterWidths()
  const letters = [...text].filter((letter) => widths.has(letter) || !EMOJI.test(letter))
  return letters.join('').trim().replaceAll(/\s+/gu, ' ')
}

/** Fits a card's name into `width` pixels, as large as possible. */
export function fitName(name: string, width: number): FittedText {
  return fitText(name, width, NAME)
}

/** Breaks a text into lines of similar width, as large as fits into `width`. Breaks words longer than a line. */
export function fitText(text: string, width: number, { steps, smallest }: Sizes): FittedText {
  const words = text.split(' ')
  for (const { size, lines: maxLines } of steps) {
    if (words.some((word) => widthOf(word, size) > width)) continue
    const lines = wrap(words, size, width)
    if (lines.length <= maxLines) return { size, lines: balance(words, size, width, lines.length) }
  }
  const fragments = words.flatMap((word) => breakWord(word, smallest, width))
  const lines = wrap(fragments, smallest, width)
  return { size: smallest, lines: balance(fragments, smallest, width, lines.length) }
}

/** Breaks a text into at most `max` lines of this size; an ellipsis ends a longer one. */
export function linesOf(text: string, size: number, width: number, max: number): string[] {
  const { lines } = fitText(text, width, { steps: [{ size, lines: max }], smallest: size })
  if (lines.length <= max) return lines
  const full = wrap(
    text.split(' ').flatMap((word) => breakWord(word, size, width)),
    size,
    width,
  )
  let last = full.slice(max - 1).join(' ')
  while (widthOf(`${last}…`, size) > width) last = last.slice(0, -1)
  return [...full.slice(0, max - 1), `${last.replace(/[\s,;:–-]+$/u, '')}…`]
}

/** Width of a text, in the unit of its size. Slightly too large, because it ignores kerning. */
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

/** Wraps into the same number of lines at the smallest possible width, so that no short last line is left. */
function balance(words: readonly string[], size: number, width: number, count: number): string[] {
  let best = wrap(words, size, width)
  for (let narrower = width - size / 4; narrower > 0; narrower -= size / 4) {
    const lines = wrap(words, size, narrower)
    if (lines.length > count || lines.some((line) => widthOf(line, size) > narrower)) break
    best = lines
  }
  return best
}

function breakWord(word: string, size: number, width: number): string[] {
  const fragments: string[] = ['']
  for (const letter of word) {
    const longer = `${fragments.at(-1)}${letter}`
    if (widthOf(longer, size) <= width) fragments[fragments.length - 1] = longer
    else fragments.push(letter)
  }
  return fragments
}

/** Maps each character to its width in thousandths of the font size. */
function letterWidths(): Map<string, number> {
  if (widthsByLetter) return widthsByLetter
  widthsByLetter = new Map()
  for (const run of CARD_FONT.trim().split('\n')) {
    const [first = '', widths = ''] = run.split(': ')
    for (const [index, width] of widths.split(' ').entries()) {
      widthsByLetter.set(String.fromCodePoint(Number.parseInt(first, 16) + index), Number(width))
    }
  }
  return widthsByLetter
}
