import { expect, test } from 'vitest'
import { messages } from '#shared/messages.ts'
import { funeralEvents } from '#worker/schema/funeral.table.ts'
import { Client, memorialOf } from '../../../../test/worker/harness.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'
import { rowsOf } from '../../../../test/worker/rows.ts'

const BURIAL = { kind: 'BURIAL', dateTime: '2031-06-06T10:00', takesReplies: true }

async function gatheringOf(fields: object = {}) {
  const { owner, memorial, path } = await memorialOf({ privacy: 'LOCKED' })
  const { body } = await owner.post(`${path}/funeral-events`, { ...BURIAL, ...fields })
  const replies = `${path}/funeral-events/${body.id}/replies`
  return { owner, memorial, path, event: body, replies }
}

const coming = (fields: object = {}) => ({ answer: 'COMING', name: 'Farai', ...fields })

test('40 people at once take exactly as many places as there are', async () => {
  const { owner, path, event, replies } = await gatheringOf({ capacity: 25 })
  const answers = await atOnce(40, () => new Client().post(replies, coming()))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(25)
  expect(answers.filter(({ body }) => body.code === 'gathering_full')).toHaveLength(15)
  expect((await owner.get(`${path}/replies`)).body).toEqual({
    counts: [{ eventId: event.id, coming: 25, afar: 0, sorry: 0, people: 25, toTell: 0 }],
  })
  expect((await rowsOf(funeralEvents, { id: event.id }))[0]?.peopleComing).toBe(25)
  const one = await new Client().post(replies, coming())
  expect([one.status, one.body.message]).toEqual([409, messages.replies.full])
})
