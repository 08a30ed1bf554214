import { expect, test } from 'vitest'
import { replyCountsText } from './reply-counts.ts'

const none = { toTell: 0, peopleToTell: 0, withoutAddress: 0 }
const counts = { eventId: 'fun_1', coming: 12, afar: 5, sorry: 2, people: 43, ...none }

test('counts of replies name people, replies and the room', () => {
  expect(replyCountsText(counts, 80)).toBe('43 coming (12 replies), 5 from afar, 2 can’t come, room for 80')
  expect(replyCountsText({ ...counts, coming: 1, people: 3 }, null)).toBe(
    '3 coming (1 reply), 5 from afar, 2 can’t come',
  )
  expect(replyCountsText({ ...counts, coming: 0, afar: 0, sorry: 1, people: 0 }, null)).toBe(
    '0 coming, 0 from afar, 1 can’t come',
  )
})
