/**
 * Writes src/worker/features/previews/card-font.ts: which letters the font of the cards has and how wide each is, read from
 * the same font in its older packing (WOFF 1.0, https://www.w3.org/TR/WOFF/). Run: npx node tools/build/card-font.ts
 */
import { writeFileSync } from 'node:fs'
import { cardFontSource } from './lib/card-font.ts'

const path = 'src/worker/features/previews/card-font.ts'
writeFileSync(new URL(`../../${path}`, import.meta.url), cardFontSource())
