import { expect, test } from 'vitest'
import { messages } from '#shared/messages.ts'
import { recoveryMessages } from '#shared/invites/recovery-messages.ts'
import { contributorCodes, contributors } from '#worker/schema/invites.table.ts'
import { newEmail } from '../accounts.ts'
import { Client, contributorOf, invited, inviteTokenOf, memorialOf, signedIn } from '../harness.ts'
import { mailboxOf } from '../mailbox.ts'
import { rowsOf } from '../rows.ts'

const missing = (html: string, parts: string[]) => parts.filter((part) => !html.includes(part))
const pageOf = ({ id }: { id: string }) => `/memorial/${id}/again`
const htmlOf = async (client: Client, path: string) => (await client.fetch(path)).text()

test('a relative leaves an address, and goes on in another browser by forms alone', async () => {
  const { owner, memorial, relative, path } = await invited()
  const page = pageOf(memorial)
  const email = newEmail()
  expect(missing(await htmlOf(relative, page), [recoveryMessages.addressText])).toEqual([])
  const kept = await relative.postForm(page, { form: 'leave-address', email })
  expect([kept.status, kept.to]).toEqual([303, `${page}?done=kept`])
  expect(missing(await htmlOf(relative, `${page}?done=kept`), [recoveryMessages.isKept])).toEqual([])

  const guest = await contributorOf(owner, memorial.id, 'Guest Visitor')
  const asked = await guest.postForm(page, { form: 'ask-for-code', email })
  expect([asked.status, asked.to]).toEqual([303, `${page}?done=asked`])
  const [mail] = await mailboxOf(email, 1)
  const code = /\d{6}/u.exec(mail?.subject ?? '')?.[0] ?? ''
  const known = await guest.postForm(page, { form: 'use-code', code })
  expect([known.status, known.to]).toEqual([303, `${page}?done=known`])
  expect(missing(await htmlOf(guest, `${page}?done=known`), ['Welcome back, Farai Chikomo.'])).toEqual([])
  expect((await guest.get(`${path}/contributor-session`)).body.contributorId).toBe(
    relative.session.contributorId,
  )

  const gone = await guest.postForm(page, { form: 'leave-address', email, forget: '1' })
  expect([gone.status, gone.to]).toEqual([303, `${page}?done=gone`])
  const [row] = await rowsOf(contributors, { id: relative.session.contributorId })
  expect(row?.email).toBe(null)
})

test('“No, thanks” leads back to the memorial, and an empty address is no answer', async () => {
  const { memorial, relative, path } = await invited()
  await relative.post(`${path}/comments`, { body: 'Go well' })
  const page = pageOf(memorial)
  const empty = await relative.postForm(page, { form: 'leave-address', email: '' })
  expect([empty.status, missing(empty.html, [messages.contact.emailInvalid])]).toEqual([400, []])
  expect((await relative.get(`${path}/contributor-session`)).body.address).toBe('ASK')
  const no = await relative.postForm(page, { form: 'leave-address', email: '', no: '1' })
  expect([no.status, no.to]).toEqual([303, `/memorial/${memorial.id}`])
  expect((await relative.get(`${path}/contributor-session`)).body.address).toBe('NONE')
})

test('the page is the same for an address that is found and one that is not', async () => {
  const { owner, memorial, relative, path } = await invited()
  const email = newEmail()
  await relative.put(`${path}/contributor-session/address`, { email })
  const page = pageOf(memorial)
  const seen = async (address: string) => {
    const guest = await contributorOf(owner, memorial.id, 'Guest Visitor')
    const asked = await guest.postForm(page, { form: 'ask-for-code', email: address })
    const after = await htmlOf(guest, asked.to ?? '')
    const tried = await guest.postForm(page, { form: 'use-code', code: '000000' })
    return [asked.status, asked.to, after, tried.status, tried.html]
  }
  const found = await seen(email)
  expect(await seen(newEmail())).toEqual(found)
  expect(missing(String(found[4]), [recoveryMessages.codeWrong])).toEqual([])
})

test('whoever may not see the memorial gets neither page nor code', async () => {
  const { memorial, owner, relative, path } = await invited()
  const email = newEmail()
  await relative.put(`${path}/contributor-session/address`, { email })
  const page = pageOf(memorial)
  const stranger = new Client()
  const answer = await stranger.fetch(page)
  expect([answer.status, (await answer.text()).includes(memorial.honoureeFullName)]).toEqual([200, false])
  const asked = await stranger.postForm(page, { form: 'ask-for-code', email })
  expect([asked.status, asked.html]).toEqual([404, messages.invite.invalid])
  const elsewhere = await memorialOf({ privacy: 'INVITE' })
  const foreign = await inviteTokenOf(elsewhere.owner, elsewhere.memorial.id)
  const other = await stranger.postForm(`${page}?invite=${foreign}`, { form: 'ask-for-code', email })
  expect([other.status, other.html]).toEqual([404, messages.invite.invalid])
  expect(await rowsOf(contributorCodes, { email })).toEqual([])
  // With the link alone, in a browser that takes no cookies.
  const token = await inviteTokenOf(owner, memorial.id)
  const byLink = await stranger.postForm(`${page}?invite=${token}`, { form: 'ask-for-code', email })
  expect([byLink.status, byLink.to]).toEqual([303, `${page}?done=asked&invite=${token}`])
})

test('a form that another site sends is refused, and nothing is mailed or kept', async () => {
  const { memorial, relative, path } = await invited()
  const headers = { Origin: 'https://evil.test' }
  const fields = { form: 'leave-address', email: newEmail() }
  expect((await relative.postForm(pageOf(memorial), fields, headers)).status).toBe(403)
  expect((await relative.get(`${path}/contributor-session`)).body.address).toBe('NONE')
})

test('a page for nobody else is never cached, and has no referrer', async () => {
  const { memorial, relative } = await invited()
  const { headers } = await relative.fetch(pageOf(memorial))
  expect(headers.get('Cache-Control')).toContain('no-store')
  expect(headers.get('Referrer-Policy')).toBe('no-referrer')
  const account = await signedIn()
  const document = await htmlOf(account, pageOf(memorial))
  expect(document).toContain('<div id="root"></div>')
})
