import { expect, test } from 'vitest'
import { REPLIES_PAGE } from '#shared/limits.ts'
import { replyMessages } from '#shared/funeral/gathering-messages.ts'
import { replies as replyTable } from '#worker/schema/funeral.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { Client, contributorOf, inviteTokenOf, signedIn, testCtx } from '../../../../test/worker/harness.ts'
import { gatheringOf, replied, repliedByMail } from '../../../../test/worker/replies.ts'
import { auditOf, changeRows, rowsOf } from '../../../../test/worker/rows.ts'

test(
  'only editors see who comes, and an admin’s look is recorded',
  { tags: ['replies-for-editors'] },
  async () => {
    const { owner, memorial, path, eventPath, replies } = await gatheringOf({}, 'INVITE')
    const { client, reply } = await replied(replies, {}, await contributorOf(owner, memorial.id))
    const invite = await inviteTokenOf(owner, memorial.id)
    const admin = await signedIn({ admin: true })
    const statusesOf = async (viewer: Client, query = '') => {
      const addresses = [`${path}/replies`, replies, `${eventPath}/replies.csv`]
      return Promise.all(addresses.map(async (at) => (await viewer.get(`${at}${query}`)).status))
    }
    expect(await statusesOf(client)).toEqual([403, 403, 403])
    expect(await statusesOf(new Client(), `?invite=${invite}`)).toEqual([401, 401, 401])
    expect(await statusesOf(await signedIn())).toEqual([403, 403, 403])
    expect(await statusesOf(owner)).toEqual([200, 200, 200])
    expect(await auditOf({ memorialId: memorial.id }, 'action')).toEqual([])
    expect(await statusesOf(admin)).toEqual([200, 200, 200])
    await admin.delete(`${path}/replies/${reply.id}`)
    expect(await auditOf({ memorialId: memorial.id }, 'action', 'actorId')).toEqual([
      { action: 'see_memorial', actorId: admin.user.id },
      { action: 'edit_funeral', actorId: admin.user.id },
    ])
  },
)

test('the list has pages, newest first', async () => {
  const { owner, event, replies } = await gatheringOf()
  const { reply } = await replied(replies)
  const [row] = await rowsOf(replyTable, { id: reply.id })
  const ids = Array.from({ length: REPLIES_PAGE }, (_, n) => `rpl_page${String(n).padStart(3, '0')}`)
  const { db } = testCtx()
  for (const [n, id] of ids.entries())
    await db.insert(replyTable).values({ ...row!, id, createdAt: row!.createdAt + n + 1 })
  const first = (await owner.get(replies)).body
  expect(first.replies.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed())
  const second = (await owner.get(`${replies}?cursor=${first.nextCursor}`)).body
  expect(second).toEqual({ replies: [reply], nextCursor: null })
  expect(first.replies[0].eventId).toBe(event.id)
})

test(
  'the file for spreadsheets quotes its cells, and none of them is a formula',
  { tags: ['cells-are-no-formulas'] },
  async () => {
    const { owner, memorial, event, eventPath, replies } = await gatheringOf()
    const names = ['=1+1', '+263', '-2', '@SUM(A1)', 'Farai "the, tall"', 'Ndapiwa']
    for (const name of names) await replied(replies, { name, people: 2, words: `=cmd\n${name}` })
    await replied(replies, { answer: 'SORRY', people: 3 })
    await changeRows(replyTable, { eventId: event.id }, { createdAt: Date.UTC(2031, 4, 1) })
    await changeRows(
      replyTable,
      { name: 'Ndapiwa' },
      { name: '\tx', words: '\rx', createdAt: Date.UTC(2031, 4, 2) },
    )
    const answer = await owner.request('GET', `${eventPath}/replies.csv`)
    expect(answer.headers.get('Content-Type')).toBe('text/csv; charset=utf-8')
    expect(answer.headers.get('Content-Disposition')).toContain(
      `attachment; filename="${memorial.slug}-replies.csv"`,
    )
    expect(answer.headers.get('Cache-Control')).toBe('private, no-store')
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await answer.arrayBuffer())
    const at = '"2031-05-01T00:00:00.000Z"'
    const [head, ...records] = text.split('\r\n').slice(0, -1)
    expect(head).toBe('\uFEFF"Name","Answer","People","Email","Words","Sent (UTC)"')
    expect(records.toSorted()).toEqual(
      [
        `"'=1+1","Coming","2","","'=cmd\n=1+1",${at}`,
        `"'+263","Coming","2","","'=cmd\n+263",${at}`,
        `"'-2","Coming","2","","'=cmd\n-2",${at}`,
        `"'@SUM(A1)","Coming","2","","'=cmd\n@SUM(A1)",${at}`,
        `"Farai ""the, tall""","Coming","2","","'=cmd\nFarai ""the, tall""",${at}`,
        `"Farai","Can’t come","","","",${at}`,
        `"'\tx","Coming","2","","'\rx","2031-05-02T00:00:00.000Z"`,
      ].toSorted(),
    )
  },
)

test(
  'an editor removes a reply of their memorial, and no other',
  { tags: ['reply-own-memorial'] },
  async () => {
    const [one, other] = [await gatheringOf({ capacity: 1 }), await gatheringOf()]
    const { reply, client } = await repliedByMail(one.replies)
    const wrong = await other.owner.delete(`${other.path}/replies/${reply.id}`)
    expect([wrong.status, wrong.body.message]).toEqual([404, replyMessages.notFound])
    expect((await one.owner.delete(`${one.path}/replies/${reply.id}`)).status).toBe(204)
    expect(await one.counts()).toMatchObject({ coming: 0, people: 0 })
    expect(await rowsOf(mails, { subjectId: reply.id })).toEqual([])
    expect((await client.get(`${one.path}/own-replies`)).body.replies).toEqual([])
    await replied(one.replies)
    expect((await one.owner.delete(`${one.path}/replies/${reply.id}`)).status).toBe(404)
  },
)

test('with a gathering its replies go, and the mails about them', async () => {
  const { owner, eventPath, replies } = await gatheringOf()
  const { reply, email } = await repliedByMail(replies)
  expect(await rowsOf(mails, { recipient: email })).toHaveLength(1)
  await owner.delete(eventPath)
  expect(await rowsOf(replyTable, { id: reply.id })).toEqual([])
  expect(await rowsOf(mails, { recipient: email })).toEqual([])
})
