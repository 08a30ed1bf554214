import { expect, test } from 'vitest'
import { PROMPTS, storyText, withoutOpenQuestions } from './story-text.ts'

test('markup and empty paragraphs do not count as text', () => {
  expect(['', '<p></p>', '<p><br></p>', '<p>&nbsp;</p>'].map(storyText)).toEqual(['', '', '', ''])
  expect(storyText('<h2>Early years</h2><p>She &amp; he <strong>taught</strong>.</p>')).toBe(
    'Early years She . he taught .',
  )
})

test('a question without an answer is left out, and every other heading stays', () => {
  const [born, work] = [`<h3>${PROMPTS[0]}</h3>`, `<h3>${PROMPTS[1]}</h3>`]
  const cases = [
    [`<p>She taught.</p>${born}<p></p>`, '<p>She taught.</p>'],
    [`${born}<p><br></p><p>&nbsp; </p>${work}<p>Bricks.</p>`, `${work}<p>Bricks.</p>`],
    [`${born}<p></p><h2>Later</h2><p>She taught.</p>`, '<h2>Later</h2><p>She taught.</p>'],
    [`${born}${work}<p></p>`, ''],
    [`${born}<p></p><p>In Mutare.</p>`, `${born}<p></p><p>In Mutare.</p>`],
    [`${born}<ul><li><p>Mutare</p></li></ul>`, `${born}<ul><li><p>Mutare</p></li></ul>`],
    ['<h3>Her own words</h3><p></p>', '<h3>Her own words</h3><p></p>'],
    ['', ''],
  ]
  expect(cases.map(([html = '']) => [html, withoutOpenQuestions(html)])).toEqual(cases)
})
