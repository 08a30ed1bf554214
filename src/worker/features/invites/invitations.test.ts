import { expect, test } from 'vitest'
import { invitationMessages } from '#shared/invites/invitation-messages.ts'
import { DAY_MS, INVITATIONS_MAX } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { familyActions } from '#worker/schema/family-actions.table.ts'
import { inviteTokens } from '#worker/schema/invites.table.ts'
import {
  Client,
  contributorOf,
  inviteTokenOf,
  joinedBy,
  memorialOf,
} from '../../../../test/worker/harness.ts'
import { keeperOf } from '../../../../test/worker/keepers.ts'
import { atOnce, statusesOf } from '../../../../test/worker/repeat.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'

/** A memorial for invited people; `add` makes another link and returns it with its token. */
async function withLinks() {
  const made = await memorialOf({ privacy: 'INVITE' })
  const { owner, path } = made
  const list = async () => (await owner.get(`${path}/invitations`)).body.invitations
  async function add(input: object = {}) {
    const { status, body } = await owner.post(`${path}/invitations`, { name: 'Dad’s choir', ...input })
    const link = body.invitations?.at(-1)
    return { status, body, link, token: String(link?.inviteLink).split('/invite/')[1] ?? '' }
  }
  return { ...made, list, add }
}

const isIn = async (client: Client, path: string) => (await client.get(path)).status

test('a memorial has several links, and the list says who came in by each', async () => {
  const { owner, memorial, list, add } = await withLinks()
  const endsAt = new Date(Date.now() + DAY_MS).toISOString()
  await contributorOf(owner, memorial.id)
  const { status, token } = await add({ endsAt, pin: '' })
  await joinedBy(token, 'Rudo')
  await joinedBy(token, 'Tariro')
  await joinedBy(token, 'Guest Visitor')
  const facts = { id: expect.stringMatching(/^lnk_/u), createdAt: expect.any(String), hasPin: false }
  expect([status, await list()]).toEqual([
    201,
    [
      { ...facts, name: null, inviteLink: expect.any(String), endsAt: null, people: 1 },
      { ...facts, name: 'Dad’s choir', inviteLink: expect.stringContaining(token), endsAt, people: 2 },
    ],
  ])
})

test('ending one link ends it and its sessions at once, and no other', async () => {
  const { owner, memorial, path, list, add } = await withLinks()
  const first = await contributorOf(owner, memorial.id)
  const choir = await add()
  const other = await add({ name: 'Work' })
  const singer = await joinedBy(choir.token, 'Rudo')
  const colleague = await joinedBy(other.token, 'Tariro')
  const { body } = await singer.post(`${path}/comments`, { body: 'He sang tenor.' })
  const end = () => owner.delete(`${path}/invitations/${choir.link.id}`)
  expect([(await end()).status, (await end()).status]).toEqual([204, 404])
  expect([await isIn(singer, path), await isIn(colleague, path), await isIn(first, path)]).toEqual([
    403, 200, 200,
  ])
  const opened = await new Client().get(`/api/invite/${choir.token}`)
  expect([opened.status, opened.body.message]).toEqual([404, messages.invite.invalid])
  const { comments } = (await owner.get(`${path}/comments`)).body
  expect(comments.map(({ id }: { id: string }) => id)).toEqual([body.comment.id])
  expect((await list()).map(({ name }: { name: string }) => name)).toEqual([null, 'Work'])
})

test('a new first link leaves the others as they are, and no call ends the first link', async () => {
  const { owner, memorial, path, list, add } = await withLinks()
  const token = await inviteTokenOf(owner, memorial.id)
  const singer = await joinedBy((await add()).token, 'Rudo')
  const [first] = await list()
  expect((await owner.delete(`${path}/invitations/${first.id}`)).status).toBe(404)
  const rotated = (await owner.post(`${path}/invite-link/rotate`)).body.inviteLink
  expect([await isIn(singer, path), (await new Client().get(`/api/invite/${token}`)).status]).toEqual([
    200, 404,
  ])
  expect((await list())[0].inviteLink).toBe(rotated)
})

test('a link of one memorial is not ended from another', { tags: ['invitations-of-memorial'] }, async () => {
  const { add, list } = await withLinks()
  const { link } = await add()
  const other = await withLinks()
  expect((await other.owner.delete(`${other.path}/invitations/${link.id}`)).status).toBe(404)
  expect([(await list()).length, await other.list()]).toEqual([1, []])
})

test(
  'a link past its end date refuses like an ended one, and whoever came in stays',
  { tags: ['invitation-end-date'] },
  async () => {
    const { path, add } = await withLinks()
    const { token } = await add({ endsAt: new Date(Date.now() + DAY_MS).toISOString() })
    const singer = await joinedBy(token, 'Rudo')
    await changeRows(inviteTokens, { token }, { endsAt: Date.now() - 1 })
    const late = new Client()
    const refused = [
      await late.get(`/api/invite/${token}`),
      await late.post(`/api/invite/${token}/session`, { displayName: 'Tariro' }),
    ]
    expect(refused.map(({ status, body }) => [status, body.message])).toEqual([
      [404, messages.invite.invalid],
      [404, messages.invite.invalid],
    ])
    expect([await isIn(late, `${path}?invite=${token}`), await isIn(singer, path)]).toEqual([403, 200])
    expect((await singer.post(`${path}/comments`, { body: 'Go well' })).status).toBe(201)
  },
)

test.each([
  [{ name: ' ' }, 'name'],
  [{ pin: '123' }, 'pin'],
  [{ pin: '12345 6789' }, 'pin'],
  [{ pin: 'abcd' }, 'pin'],
  [{ endsAt: '2020-01-01T00:00:00.000Z' }, 'endsAt'],
  [{ endsAt: 'tomorrow' }, 'endsAt'],
])('a link with %o is refused', async (input, field) => {
  const { status, body } = await (await withLinks()).add(input)
  expect([status, Object.keys(body.fields)]).toEqual([400, [field]])
})

test('at most 20 named links work, however many are made at once', async () => {
  const { add, list } = await withLinks()
  const answers = await atOnce(INVITATIONS_MAX + 3, () => add())
  const expected = [...Array.from({ length: INVITATIONS_MAX }, () => 201), 409, 409, 409]
  expect([statusesOf(answers), (await list()).length]).toEqual([expected, INVITATIONS_MAX])
  expect(answers.find(({ status }) => status === 409)?.body.message).toBe(invitationMessages.tooMany)
})

test('a keeper manages the links, a helper does not, and the family’s log says who did', async () => {
  const { owner, memorial, path } = await withLinks()
  const keeper = await keeperOf(owner, memorial.id, 'KEEPER')
  const helper = await keeperOf(owner, memorial.id, 'HELPER')
  const { body } = await keeper.post(`${path}/invitations`, { name: 'Choir' })
  const end = `${path}/invitations/${body.invitations[0].id}`
  const answers = [
    await helper.get(`${path}/invitations`),
    await helper.delete(end),
    await keeper.delete(end),
  ]
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 204])
  const did = await rowsOf(familyActions, { memorialId: memorial.id, userId: keeper.user.id })
  expect(did.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['add_invitation', 'end_invitation']),
  )
})
