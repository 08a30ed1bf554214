import * as z from 'zod/mini'
import { line } from '#shared/text.ts'
import { codePoints } from '#shared/code-points.ts'
import { NAUGHTY_STRINGS } from '../../xss-vectors.ts'

const anyLine = line({ max: 100 })

/** Strings of the list that are valid in one line, joined into lines of at most 100 characters; longer ones are left out. */
export const NAUGHTY_LINES: readonly string[] = packed(
  NAUGHTY_STRINGS.map((text) => text.trim()).filter((text) => text && z.safeParse(anyLine, text).success),
)

function packed(texts: readonly string[]): string[] {
  const lines: string[] = []
  for (const text of texts) {
    const longer = `${lines.at(-1)} ${text}`
    if (lines.length > 0 && codePoints(longer.normalize('NFC')) <= 100) lines[lines.length - 1] = longer
    else lines.push(text)
  }
  return lines
}
