import { expect, test } from 'vitest'
import { DAY_MS } from '#shared/limits.ts'
import { deleteOldRecords } from '#worker/features/removal/retention.jobs.ts'
import { funeralEvents } from '#worker/schema/funeral.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { testCtx } from '../../../../test/worker/harness.ts'
import { gatheringOf, repliedByMail } from '../../../../test/worker/replies.ts'
import { rowsOf } from '../../../../test/worker/rows.ts'

/** The nightly run this many days after a moment. */
const runAt = (moment: string, days: number) =>
  deleteOldRecords(testCtx(() => Date.parse(moment) + days * DAY_MS))

test(
  'replies go 90 days after the end of their gathering, unless the owner keeps them',
  { tags: ['kept-replies-stay', 'replies-stay-90-days'] },
  async () => {
    const all = [
      await gatheringOf(),
      await gatheringOf({ endDateTime: '2031-06-08T10:00' }),
      await gatheringOf({ keepReplies: true }),
    ]
    const sent = await Promise.all(all.map(async ({ replies }) => repliedByMail(replies, { people: 3 })))
    const left = async () =>
      Promise.all(
        all.map(async ({ event, owner, replies }) => [
          (await owner.get(replies)).body.replies.length,
          (await rowsOf(funeralEvents, { id: event.id }))[0]?.peopleComing,
        ]),
      )
    // Without an end it takes two hours.
    await runAt('2031-06-06T09:59:59Z', 90)
    expect(await left()).toEqual([
      [1, 3],
      [1, 3],
      [1, 3],
    ])
    await runAt('2031-06-06T10:00:00Z', 90)
    expect(await left()).toEqual([
      [0, 0],
      [1, 3],
      [1, 3],
    ])
    await runAt('2031-06-08T08:00:00Z', 90)
    expect(await left()).toEqual([
      [0, 0],
      [0, 0],
      [1, 3],
    ])
    const mailed = await Promise.all(sent.map(async ({ email }) => rowsOf(mails, { recipient: email })))
    // Sent mails go after half a year anyway.
    expect(mailed.map((rows) => rows.length)).toEqual([0, 0, 0])
  },
)
