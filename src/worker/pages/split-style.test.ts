import { expect, test } from 'vitest'
import { cutStyle, splitStyle } from './split-style.ts'

const SHEET = [
  '@charset "utf-8";',
  '@font-face{font-family:A;src:url("a.woff2")}',
  'p{margin:0}',
  '._card_a1b2c_1{color:red;content:"} p{"}',
  '._card_a1b2c_1 ._name_a1b2c_5:hover{color:blue}',
  '@media(min-width:60rem){._card_a1b2c_1{margin:0}p{margin:1rem}}',
  '._dialog_-x_9Z_12{color:green}',
  '@keyframes _pulse_qqqqq_3{from{opacity:0}}',
  '._card_a1b2c_1 ._row_rrrrr_2{margin:0}',
].join('')

test('a sheet is cut between its rules, and nothing is lost', () => {
  const parts = cutStyle(SHEET)
  expect(parts.map(({ css }) => css).join('')).toBe(SHEET)
  expect(parts.map(({ modules }) => modules)).toEqual([
    [],
    ['a1b2c'],
    ['-x_9Z'],
    ['qqqqq'],
    ['a1b2c', 'rrrrr'],
  ])
})

test('what a page shows comes first, in its order; what nothing on it is of comes late', () => {
  const html = '<p class="_name_a1b2c_5">Sekai</p>'
  const { first, late } = splitStyle(cutStyle(SHEET), html)
  expect(late).toBe('._dialog_-x_9Z_12{color:green}@keyframes _pulse_qqqqq_3{from{opacity:0}}')
  expect(first).toBe(SHEET.replace(late, ''))
  expect(splitStyle(cutStyle(SHEET), '').first).toMatch(/^@charset.*p\{margin:0\}$/u)
})
