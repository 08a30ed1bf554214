import { expect, test } from 'vitest'
import { filesChosen, thanksFor } from './messages.ts'

test('the thank-you names what was added, each kind with its number', () => {
  const thanked = (...nouns: string[]) => /your (.*) now\.$/u.exec(thanksFor(nouns))?.[1]
  expect(thanksFor(['photo', 'photo', 'photo'])).toBe('Thank you. The family can see your 3 photos now.')
  expect([
    thanked('photo'),
    thanked('voice message'),
    thanked('message'),
    thanked('photo', 'photo', 'video'),
    thanked('photo', 'video', 'voice message', 'voice message'),
  ]).toEqual(['photo', 'voice message', 'message', '2 photos and video', 'photo, video and 2 voice messages'])
})

test('what was chosen is told with its number and kinds', () => {
  expect(filesChosen(['IMAGE', 'IMAGE', 'IMAGE'])).toBe('3 photos chosen')
  expect(filesChosen(['AUDIO', 'IMAGE', 'VIDEO', 'IMAGE'])).toBe('2 photos, 1 video and 1 recording chosen')
})
