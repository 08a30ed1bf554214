import { expect, test } from 'vitest'
import { storyText } from './story-text.ts'

test('markup and empty paragraphs do not count as text', () => {
  expect(['', '<p></p>', '<p><br></p>', '<p>&nbsp;</p>'].map(storyText)).toEqual(['', '', '', ''])
  expect(storyText('<h2>Early years</h2><p>She &amp; he <strong>taught</strong>.</p>')).toBe(
    'Early years She . he taught .',
  )
})
