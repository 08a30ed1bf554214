import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { cardFontSource } from '../tools/build/lib/card-font.ts'

test('card layout uses the glyphs and widths of the font that renders the cards', () => {
  const committed = readFileSync(
    new URL('../src/worker/features/previews/card-font.ts', import.meta.url),
    'utf8',
  )
  expect(committed).toBe(cardFontSource())
})
