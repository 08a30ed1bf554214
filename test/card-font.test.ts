import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { cardFontSource } from '../tools/build/lib/card-font.ts'

test('the letters and widths that cards are set by are those of the font that they are drawn with', () => {
  const kept = readFileSync(new URL('../src/worker/features/previews/card-font.ts', import.meta.url), 'utf8')
  expect(kept).toBe(cardFontSource())
})
