import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { aGathering } from '#shared/funeral/a-gathering.ts'
import { CLOCK_WORDS } from '#shared/funeral/clock-words.ts'
import { arrange, endOf, isUpcoming } from '#shared/funeral/gatherings.ts'
import { MINUTE_MS } from '#shared/limits.ts'
import { cachePurges } from '#worker/schema/jobs.table.ts'
import { funeralEvents } from '#worker/schema/funeral.table.ts'
import { memorialTag } from '#worker/platform/edge-cache.ts'
import { nextTurn, purgeTurnedPages, turnsAround } from '#worker/features/funeral/turns.ts'
import { memorialOf, testCtx } from '../../../../test/worker/harness.ts'
import { rowsOf } from '../../../../test/worker/rows.ts'

const at = (instant: string) => Date.parse(instant)

/** All turns of a gathering after this moment, in order. */
function turnsAfter(event: Parameters<typeof nextTurn>[0][number], after: number): string[] {
  const turns: string[] = []
  for (let now = nextTurn([event], after); now !== null; now = nextTurn([event], now))
    turns.push(new Date(now).toISOString().slice(0, 16))
  return turns
}

test('a page turns at midnight there, at the start, the end and three days later', () => {
  expect(turnsAfter(aGathering(), 0)).toEqual([
    '2026-06-04T22:00',
    '2026-06-05T22:00',
    '2026-06-06T08:00',
    '2026-06-06T10:00',
    '2026-06-09T10:00',
  ])
})

test('the hours before a stream, a change and the end of replies turn a page, too', () => {
  const event = aGathering({
    streamUrl: 'https://example.org/live',
    takesReplies: true,
    repliesUntil: '2026-06-05T10:00:00.000Z',
    change: {
      at: '2026-06-03T09:00:00.000Z',
      dateTime: '',
      endDateTime: null,
      timeZone: '',
      place: '',
      isCancelled: false,
    },
  })
  const turns = turnsAfter(event, at('2026-06-03T09:00:00Z'))
  expect(turns.slice(0, 8)).toEqual([
    '2026-06-03T22:00',
    '2026-06-04T22:00',
    '2026-06-05T10:00',
    '2026-06-05T22:00',
    '2026-06-06T02:00',
    '2026-06-06T02:30',
    '2026-06-06T03:30',
    '2026-06-06T04:30',
  ])
  // Replies are deleted, unless the owner keeps them.
  expect(turns.at(-1)).toBe('2026-09-04T10:00')
})

test('between its turns a page says the same', () => {
  const from = at('2026-06-03T00:00:00Z')
  const changedAt = '2026-06-03T21:07:13.000Z'
  const { dateTime, endDateTime, timeZone, isCancelled } = aGathering()
  const facts = { dateTime, endDateTime, timeZone, place: '', isCancelled }
  const vigil = aGathering({
    id: 'fun_2',
    dateTime: '2026-06-05T16:00:00.000Z',
    endDateTime: '2026-06-06T04:00:00.000Z',
  })
  const burial = aGathering({ streamUrl: 'https://example.org/live', change: { ...facts, at: changedAt } })
  const unveiling = aGathering({
    id: 'fun_3',
    timeZone: 'America/New_York',
    dateTime: '2026-06-07T15:30:00.000Z',
  })
  const events = [vigil, burial, unveiling]
  const says = (now: number) => ({
    ...arrange(events, now),
    words: events.map((event) => {
      const moments = {
        start: event.dateTime,
        end: new Date(endOf(event)).toISOString(),
        zone: event.timeZone,
      }
      const { when, stream, changed } = CLOCK_WORDS
      const isChanged = event.change !== null && now >= at(changedAt)
      return [
        isUpcoming(event, now) && when(moments, now),
        event.streamUrl !== null && stream(moments, now),
        isChanged && changed({ ...moments, start: changedAt }, now),
      ]
    }),
  })
  const moments = Array.from({ length: 2 * 24 * 8 }, (_, index) => from + index * 30 * MINUTE_MS)
  const saysSince = new Map<number, string>()
  const wrong = moments.filter((now) => {
    const { last } = turnsAround(events, now)
    saysSince.set(last, saysSince.get(last) ?? JSON.stringify(says(last)))
    return JSON.stringify(says(now)) !== saysSince.get(last)
  })
  expect(wrong.map((now) => new Date(now).toISOString())).toEqual([])
  expect(saysSince.size).toBe(22)
})

test('a vigil has a turn at midnight, because it is no longer of today', () => {
  const vigil = aGathering({ dateTime: '2026-06-05T16:00:00.000Z', endDateTime: '2026-06-06T04:00:00.000Z' })
  expect(turnsAfter(vigil, at('2026-06-05T16:00:00Z')).slice(0, 2)).toEqual([
    '2026-06-05T22:00',
    '2026-06-06T04:00',
  ])
})

test('a day of 25 hours begins and ends at its own midnights', () => {
  // In New York clocks go back on 1 November 2026.
  const event = aGathering({ timeZone: 'America/New_York', dateTime: '2026-11-02T04:30:00.000Z' })
  expect(turnsAfter(event, 0).slice(0, 2)).toEqual(['2026-10-31T04:00', '2026-11-01T04:00'])
})

test('the schedule purges a page at its turn once, and knows the next', async () => {
  const { owner, memorial, path } = await memorialOf({ privacy: 'LOCKED' })
  const { body } = await owner.put(`${path}/funeral`, { dateTime: '2031-06-06T10:00' })
  const turnsAt = async () => (await rowsOf(funeralEvents, { id: body.id }))[0]?.turnsAt
  const isPurged = eq(cachePurges.tag, memorialTag(memorial.id))
  const run = async (now: number) => {
    await testCtx().db.delete(cachePurges).where(isPurged)
    await purgeTurnedPages({ ...testCtx(), now: () => now })
    return (await rowsOf(cachePurges, { tag: memorialTag(memorial.id) })).length
  }
  const start = at('2031-06-06T08:00:00Z')
  expect(await turnsAt()).toBe(at('2031-06-04T22:00:00Z'))
  expect([await run(at('2031-06-04T21:59:59Z')), await run(at('2031-06-04T22:00:00Z'))]).toEqual([0, 1])
  expect([await turnsAt(), await run(at('2031-06-04T22:01:00Z'))]).toEqual([at('2031-06-05T22:00:00Z'), 0])
  // The schedule was down for a day.
  expect([await run(start - 1), await turnsAt()]).toEqual([1, start])
  expect([await run(at('2031-06-09T10:00:00Z')), await turnsAt()]).toEqual([1, null])
})
