import { expect, test } from 'vitest'
import { invitationMessages } from '#shared/invites/invitation-messages.ts'
import { DAY_MS, RATE_LIMITS } from '#shared/limits.ts'
import { inviteTokens } from '#worker/schema/invites.table.ts'
import { Client, memorialOf } from '../../../../test/worker/harness.ts'
import { atOnce, inTurn } from '../../../../test/worker/repeat.ts'
import { rowsOf } from '../../../../test/worker/rows.ts'

const PIN = '48215'

/** A link with a PIN, of a memorial for invited people. */
async function withPin() {
  const made = await memorialOf({ privacy: 'INVITE', name: 'Sekai Ndlovu' })
  await made.owner.patch(made.path, { showInvitePreview: true })
  const { body } = await made.owner.post(`${made.path}/invitations`, { name: 'Choir', pin: '482 15' })
  const [{ inviteLink, hasPin }] = body.invitations
  const token: string = inviteLink.split('/invite/')[1]
  const session = `/api/invite/${token}/session`
  const open = (client: Client, pin?: string, displayName = 'Rudo') =>
    client.post(session, { displayName, pin })
  return { ...made, token, hasPin, open, page: `/invite/${token}`, form: `/invite/${token}/pin` }
}

test(
  'before the PIN, the link says nothing of the memorial and opens nothing',
  { tags: ['pin-before-memorial', 'pin-needed'] },
  async () => {
    const { memorial, path, token, hasPin, page, open } = await withPin()
    const stranger = new Client()
    const asked = { displayName: 'Rudo' }
    const answers = [
      await stranger.get(`/api/invite/${token}`),
      await open(stranger),
      await stranger.post(`/api/invite/${token}/code`, { email: 'a@family.test' }),
      await stranger.post(`/api/invite/${token}/contributor`, { code: '123456' }),
      await stranger.get(`${path}?invite=${token}`),
      await stranger.get(`${path}/media?invite=${token}`),
      await stranger.post(`/api/invite/${token}/session`, asked),
    ]
    const codes = answers.map(({ status, body }) => `${status} ${body.code}`)
    const needed = '403 pin_needed'
    const refused = '403 invitation_needed'
    expect([hasPin, codes]).toEqual([true, [needed, needed, needed, needed, refused, refused, needed]])
    const shown = await stranger.fetch(page)
    expect([shown.status, shown.headers.get('Location')]).toEqual([303, `/invite/${token}/pin`])
    const pages = [
      await shown.text(),
      await (await stranger.fetch(`${page}/pin`)).text(),
      JSON.stringify(answers),
    ]
    const byId = await (await stranger.fetch(`/memorial/${memorial.id}?invite=${token}`)).text()
    expect([...pages, byId].filter((text) => text.includes('Sekai'))).toEqual([])
    expect(pages[1]).toContain(invitationMessages.askTitle)
  },
)

test(
  'a link with a PIN has the neutral preview, even if the family shows the name',
  { tags: ['preview-not-before-pin'] },
  async () => {
    const { page } = await withPin()
    const open = await memorialOf({ privacy: 'INVITE' })
    await open.owner.patch(open.path, { showInvitePreview: true })
    const plain = (await open.owner.get(`${open.path}/invite-link`)).body.inviteLink.split('/invite/')[1]
    const card = async (address: string) => (await new Client().fetch(`${address}/card.jpg`)).arrayBuffer()
    const [neutral, asking, named] = await Promise.all([
      card('/invite/unknown'),
      card(page),
      card(`/invite/${plain}`),
    ])
    expect(new Uint8Array(asking)).toEqual(new Uint8Array(neutral))
    expect(named.byteLength).not.toBe(neutral.byteLength)
  },
)

test(
  'the right PIN opens the memorial without script, and a name then needs no PIN',
  { tags: ['pin-is-right'] },
  async () => {
    const { memorial, path, token, form, page, open } = await withPin()
    const guest = new Client()
    const wrong = await guest.postForm(form, { pin: '11111' })
    expect([wrong.status, wrong.html.includes(invitationMessages.pinWrong)]).toEqual([400, true])
    expect(wrong.html).not.toContain('11111')
    const right = await guest.postForm(form, { pin: '48 215' })
    expect([right.status, right.to]).toEqual([303, `/memorial/${memorial.id}?invite=${token}`])
    expect(await (await guest.fetch(right.to ?? '')).text()).toContain('Sekai Ndlovu')
    expect((await guest.fetch(page)).headers.get('Location')).toBe(`/memorial/${memorial.id}`)
    expect((await open(guest)).status).toBe(201)
    expect((await guest.post(`${path}/comments`, { body: 'She led the altos.' })).status).toBe(201)
  },
)

test(
  'a session by another link of the memorial does not stand for the PIN',
  { tags: ['pin-came-by-this-link'] },
  async () => {
    const { owner, memorial, open } = await withPin()
    const { body } = await owner.get(`/api/memorials/${memorial.id}/invite-link`)
    const relative = new Client()
    const path = `/api/invite/${body.inviteLink.split('/invite/')[1]}/session`
    expect((await relative.post(path, { displayName: 'Farai' })).status).toBe(201)
    expect((await open(relative)).body.code).toBe('pin_needed')
  },
)

test('the PIN is stored as a keyed hash', async () => {
  const { token } = await withPin()
  const [row] = await rowsOf(inviteTokens, { token })
  expect(row?.pinHash).toMatch(/^[\w-]{43}$/u)
  expect(JSON.stringify(row)).not.toContain(PIN)
})

test('wrong PINs are limited by network, also in parallel, and right ones do not count', async () => {
  const { open } = await withPin()
  const { limit } = RATE_LIMITS.wrongPinsOfNetwork
  const guesser = new Client()
  const tries = await atOnce(limit + 5, (n) => open(guesser, String(1000 + n)))
  expect(tries.filter(({ status }) => status === 400)).toHaveLength(limit)
  expect((await open(guesser, PIN)).status).toBe(429)
  const family = await inTurn(limit + 5, () => open(new Client(), PIN))
  expect(family.filter(({ status }) => status !== 201)).toEqual([])
})

test('wrong PINs are limited over all networks, and whoever is in stays in', async () => {
  const { path, open } = await withPin()
  const inside = new Client()
  await open(inside, PIN)
  const { limit, windowMs } = RATE_LIMITS.wrongPins
  const tries = await inTurn(limit + 1, (n) => open(new Client(), String(1000 + n)))
  expect(tries.map(({ status }) => status)).toEqual([...Array.from({ length: limit }, () => 400), 429])
  expect([windowMs, (await inside.get(path)).status, (await open(inside)).status]).toEqual([DAY_MS, 200, 201])
})
