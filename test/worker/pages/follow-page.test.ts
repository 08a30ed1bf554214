import { expect, test } from 'vitest'
import { followMessages } from '#shared/memorials/follow-messages.ts'
import { followers } from '#worker/schema/followers.table.ts'
import { newEmail } from '../accounts.ts'
import { Client, invited, inviteTokenOf, memorialOf } from '../harness.ts'
import { mailboxOf } from '../mailbox.ts'
import { rowsOf } from '../rows.ts'

const pageOf = ({ id }: { id: string }) => `/memorial/${id}/follow`

test('the form is bound to the invitation in the address, or of the session', async () => {
  const { owner, memorial, relative } = await invited()
  const token = await inviteTokenOf(owner, memorial.id)
  const page = `${pageOf(memorial)}?invite=${token}`
  expect(await (await new Client().fetch(page)).text()).toContain(followMessages.news)
  for (const [client, path] of [
    [new Client(), page],
    [relative, pageOf(memorial)],
  ] as const) {
    const email = newEmail()
    const { status, to } = await client.postForm(path, { email, news: 'on' })
    expect([status, new URL(to ?? '', 'http://localhost').searchParams.get('done')]).toEqual([303, 'asked'])
    await mailboxOf(email, 1)
    expect(await rowsOf(followers, { email })).toMatchObject([
      { inviteToken: token, wantsNews: true, wantsBirthday: false, wantsPassing: false },
    ])
  }
})

test('the form comes back with what was typed and what is wrong with it', async () => {
  const { memorial } = await memorialOf({ privacy: 'LOCKED' })
  const wrong = await new Client().postForm(pageOf(memorial), { email: 'nobody@', passing: 'on' })
  expect(wrong.status).toBe(400)
  expect(wrong.html).toContain('value="nobody@"')
  const none = await new Client().postForm(pageOf(memorial), { email: newEmail() })
  expect([none.status, none.html.includes(followMessages.chooseOne)]).toEqual([400, true])
})

test('another site, and whoever may not see the memorial, can’t send it', async () => {
  const { memorial } = await memorialOf({ privacy: 'LOCKED' })
  const hidden = await memorialOf({ privacy: 'INVITE' })
  const form = { email: newEmail(), news: 'on' }
  const foreign = await new Client().postForm(pageOf(memorial), form, { Origin: 'https://evil.example' })
  expect(foreign.status).toBe(403)
  expect((await new Client().postForm(pageOf(hidden.memorial), form)).status).toBe(403)
  expect(await rowsOf(followers, { email: form.email })).toEqual([])
})
