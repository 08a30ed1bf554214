import { expect, test } from 'vitest'
import { filesChosen, thanksFor, type Added } from './messages.ts'

test('the thank-you names what was added, each kind with its number', () => {
  const thanked = (...added: Added[]) => /your (.*) now\.$/u.exec(thanksFor(added))?.[1]
  expect(thanksFor(['IMAGE', 'IMAGE', 'IMAGE'])).toBe('Thank you. The family can see your 3 photos now.')
  expect([
    thanked('IMAGE'),
    thanked('AUDIO'),
    thanked('message'),
    thanked('IMAGE', 'IMAGE', 'VIDEO'),
    thanked('IMAGE', 'VIDEO', 'AUDIO', 'AUDIO'),
  ]).toEqual(['photo', 'voice message', 'message', '2 photos and video', 'photo, video and 2 voice messages'])
})

test('what was chosen is told with its number and kinds', () => {
  expect(filesChosen(['IMAGE', 'IMAGE', 'IMAGE'])).toBe('3 photos chosen')
  expect(filesChosen(['AUDIO', 'IMAGE', 'VIDEO', 'IMAGE'])).toBe('2 photos, 1 video and 1 recording chosen')
})
