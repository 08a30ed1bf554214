/**
 * Writes src/worker/features/previews/card-font.ts, which lists the characters of the preview cards' font and their widths. It
 * reads the font's WOFF 1.0 file (https://www.w3.org/TR/WOFF/). Run: npx node tools/build/card-font.ts
 */
import { writeFileSync } from 'node:fs'
import { cardFontSource } from './lib/card-font.ts'

const path = 'src/worker/features/previews/card-font.ts'
writeFileSync(new URL(`../../${path}`, import.meta.url), cardFontSource())
