import { expect, test } from 'vitest'
import { memorialPage } from '#worker/pages/memorial-page.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { newEmail } from '../accounts.ts'
import { Client, ORIGIN, testCtx } from '../harness.ts'
import { atOnce } from '../repeat.ts'
import { coming, gatheringOf } from '../replies.ts'
import { rowsOf } from '../rows.ts'

/** Saturday 7 June 2031, 10:00 in Harare. */
const BURIAL = { dateTime: '2031-06-07T10:00', endDateTime: '2031-06-07T12:00', capacity: 60 }

test('a funeral week: all reply at once and hear once of a change; the page keeps time', async () => {
  const { owner, memorial, path, eventPath, replies, change, counts } = await gatheringOf(BURIAL)
  await owner.patch(path, { lifeStory: '<p>She stayed.</p>' })
  const pageAt = async (instant: string) => {
    const now = Date.parse(instant)
    const page = await memorialPage(
      testCtx(() => now),
      new URL(`${ORIGIN}/m/${memorial.slug}`),
    )
    return (await page?.text()) ?? ''
  }
  const feed = async () => (await new Client().get<string>(`${path}/funeral.ics?feed=1`)).body
  const cardIn = (html: string) => /og:image" content="([^"]+)"/u.exec(html)?.[1]

  // 40 people, of whom each brings one more; there is room for 60.
  const answers = await atOnce(40, () => new Client().post(replies, coming({ people: 2, email: newEmail() })))
  const accepted = answers.filter(({ status }) => status === 201)
  expect([accepted.length, answers.filter(({ body }) => body.code === 'gathering_full').length]).toEqual([
    30, 10,
  ])
  expect(await counts()).toMatchObject({ coming: 30, people: 60, toTell: 0 })
  const before = await pageAt('2031-06-06T12:00:00Z')
  expect(before).toContain('All places are taken')

  // An hour later than announced: each of them gets one mail.
  await change({ dateTime: '2031-06-07T11:00' })
  const presses = await atOnce(4, () => owner.post(`${eventPath}/tell`))
  expect(presses.map(({ body }) => body.told).toSorted((a, b) => b - a)).toEqual([30, 0, 0, 0])
  const told = await Promise.all(
    accepted.map(({ body }) => rowsOf(mails, { subjectId: body.reply.id, kind: 'gathering-changed' })),
  )
  expect(told.map((rows) => rows.map(({ recipient }) => recipient))).toEqual(
    accepted.map(({ body }) => [body.reply.email]),
  )

  // Calendars and chats get the new time.
  const file = await feed()
  expect([file.includes('SEQUENCE:1'), file.includes('DTSTART:20310607T090000Z')]).toEqual([true, true])
  const after = await pageAt('2031-06-06T12:00:00Z')
  expect(cardIn(after)).toMatch(/^http/u)
  expect(cardIn(after)).not.toBe(cardIn(before))

  // The day passes. In New York it is still Friday when it begins.
  const says = async (instant: string) => {
    const html = await pageAt(instant)
    const isFirst = html.indexOf('id="funeral"') < html.indexOf('id="story"')
    const words = ['Tomorrow, 11:00', 'Today, 11:00', 'Took place on', 'Funeral, 7 June 2031']
    return [isFirst, ...words.filter((word) => html.includes(word))]
  }
  expect(await says('2031-06-06T21:59:00Z')).toEqual([true, 'Tomorrow, 11:00'])
  expect(await says('2031-06-06T22:00:00Z')).toEqual([true, 'Today, 11:00'])
  expect(await says('2031-06-07T10:59:00Z')).toEqual([true, 'Today, 11:00'])
  expect(await says('2031-06-07T11:00:00Z')).toEqual([true, 'Took place on'])
  expect(await says('2031-06-10T10:59:00Z')).toEqual([true, 'Took place on'])
  expect(await says('2031-06-10T11:00:00Z')).toEqual([false, 'Took place on', 'Funeral, 7 June 2031'])
})
