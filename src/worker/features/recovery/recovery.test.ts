import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { CODE_TRIES_MAX, HOUR_MS, MINUTE_MS, RATE_LIMITS } from '#shared/limits.ts'
import { recoveryMessages } from '#shared/invites/recovery-messages.ts'
import { sendMail } from '#worker/features/mail/mail.jobs.ts'
import { purgeMemorial } from '#worker/features/removal/removal.jobs.ts'
import { deleteOldRecords } from '#worker/features/removal/retention.jobs.ts'
import { hashToken } from '#worker/platform/random.ts'
import { countRateLimit } from '#worker/platform/rate-limiter.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { contributorCodes, contributors } from '#worker/schema/invites.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { newEmail } from '../../../../test/worker/accounts.ts'
import {
  Client,
  contributorOf,
  invited,
  inviteTokenOf,
  memorialOf,
  signedIn,
  testCtx,
  visitorOf,
} from '../../../../test/worker/harness.ts'
import { download } from '../../../../test/worker/exported.ts'
import { barrierDb, interceptedDb } from '../../../../test/worker/runtime/intercepted-db.ts'
import { mailboxOf, receivedBy } from '../../../../test/worker/mailbox.ts'
import { atOnce, inTurn } from '../../../../test/worker/repeat.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import { OWN_JSON, watchedCall } from '../../../../test/worker/runtime/watched.ts'

const WRONG = {
  message: recoveryMessages.codeWrong,
  code: 'bad_input',
  fields: { code: recoveryMessages.codeWrong },
}

/** A memorial, and a relative who has written in its guestbook and left an address. */
async function withAddress() {
  const made = await invited()
  const { owner, memorial, relative, path } = made
  const email = newEmail()
  await relative.post(`${path}/comments`, { body: 'Go well' })
  await relative.put(`${path}/contributor-session/address`, { email })
  const token = await inviteTokenOf(owner, memorial.id)
  const ask = (client: Client, address = email) =>
    client.post(`/api/invite/${token}/code`, { email: address })
  const use = (client: Client, code: string, contributorId?: string) =>
    client.post(`/api/invite/${token}/contributor`, { code, ...(contributorId && { contributorId }) })
  /** A new phone that has asked, and the code in its mail. */
  const asked = async (mailNumber = 1) => {
    const phone = new Client()
    await ask(phone)
    const [mail] = await mailboxOf(email, mailNumber)
    return { phone, mail, code: codeIn(mail) }
  }
  return { ...made, email, token, ask, use, asked }
}

const codeIn = (mail: { text: string } | undefined) => /\b\d{6}\b/u.exec(mail?.text ?? '')?.[0] ?? ''
const otherThan = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')
const stateOf = async (client: Client, path: string) =>
  (await client.get(`${path}/contributor-session`)).body.address

test('a relative with a new phone is the same contributor again, with quotas and words', async () => {
  const { path, memorial, relative, asked, use } = await withAddress()
  const { phone, mail, code } = await asked()
  expect(mail?.subject).toBe(`Your code is ${code}`)
  const before = (await relative.get(`${path}/contributor-session`)).body
  const { status, body } = await use(phone, ` ${code.slice(0, 3)} ${code.slice(3)}`)
  expect(status).toBe(200)
  expect(body).toEqual({
    session: { ...before, address: 'KEPT', authToken: expect.stringMatching(/^[\w-]{43}$/u) },
  })
  expect((await phone.get(`${path}/contributor-session`)).body).toEqual(before)
  const { id } = (await phone.get(`${path}/comments`)).body.comments[0]
  expect((await phone.delete(`/api/comments/${id}`)).status).toBe(204)
  const people = await rowsOf(contributors, { memorialId: memorial.id })
  expect(people.map((person) => person.displayName)).toEqual(['Farai Chikomo'])
  // The phone that they had before may be lost.
  expect((await relative.get(path)).status).toBe(403)
})

test('the first thing added brings the question for an address; any answer ends it', async () => {
  const { path, owner, memorial, relative } = await invited()
  const other = await contributorOf(owner, memorial.id, 'Rudo')
  const states = []
  states.push(await stateOf(relative, path))
  for (const person of [relative, other]) await person.post(`${path}/comments`, { body: 'Go well' })
  states.push(await stateOf(relative, path), await stateOf(other, path))
  const put = (email: string) => relative.put(`${path}/contributor-session/address`, { email })
  expect((await put('')).status).toBe(204)
  states.push(await stateOf(relative, path))
  await put('Farai@Family.test')
  states.push(await stateOf(relative, path))
  await put('')
  states.push(await stateOf(relative, path), await stateOf(other, path))
  expect(states).toEqual(['NONE', 'ASK', 'ASK', 'NONE', 'KEPT', 'NONE', 'ASK'])
  expect((await rowsOf(contributors, { displayName: 'Rudo', memorialId: memorial.id }))[0]?.email).toBe(null)
})

test(
  'guests, owners and visitors of the public page are not asked for an address',
  { tags: ['address-of-relatives-only'] },
  async () => {
    const { path, owner, memorial } = await memorialOf({ privacy: 'INVITE' })
    const guest = await contributorOf(owner, memorial.id, 'Guest Visitor')
    const put = async (client: Client) => {
      const { status, body } = await client.put(`${path}/contributor-session/address`, { email: newEmail() })
      return [status, body.code]
    }
    expect(await put(guest)).toEqual([409, 'name_required'])
    expect(await put(owner)).toEqual([404, 'not_found'])
    expect(await stateOf(guest, path)).toBe('NONE')
    const visitor = await visitorOf(owner, memorial)
    expect(await put(visitor)).toEqual([404, 'not_found'])
    expect(await stateOf(visitor, path)).toBe('NONE')
    const rows = await rowsOf(contributors, { memorialId: memorial.id })
    expect(rows.map(({ email }) => email)).toEqual([null, null])
  },
)

test('neither the family nor any other relative sees an address', async () => {
  const { path, owner, memorial, email, relative, asked, use } = await withAddress()
  const other = await contributorOf(owner, memorial.id, 'Rudo')
  const { phone, code } = await asked()
  const asks = [
    () => owner.get(`${path}/contributors`),
    () => owner.get(path),
    () => owner.get(`${path}/comments`),
    () => owner.get('/api/account/export'),
    () => other.get(`${path}/comments`),
    () => relative.get(`${path}/contributor-session`),
    () => use(phone, code),
  ]
  const seen = await inTurn(asks.length, (n) => asks[n]!())
  expect(seen.map(({ status }) => status)).toEqual(seen.map(() => 200))
  const text = JSON.stringify(seen.map(({ body }) => body))
  expect(text).toContain('Farai Chikomo')
  expect(text).not.toContain(email)
  const { files, text: fileOf } = await download(owner, memorial.id)
  expect(fileOf('memorial.json')).toContain('Farai Chikomo')
  const saved = files.map(({ bytes }) => new TextDecoder().decode(bytes)).join('')
  expect(saved).not.toContain(email)
})

test('a known and an unknown address get the same answer after the same work', async () => {
  const { token, email } = await withAddress()
  const trace = async (address: string, ip: string) => {
    const { response, before, after } = await watchedCall(`/api/invite/${token}/code`, {
      headers: { ...OWN_JSON, 'CF-Connecting-IP': ip },
      body: JSON.stringify({ email: address }),
    })
    const headers = [...response.headers.keys()].toSorted()
    return { seen: { status: response.status, headers, body: await response.text(), before }, after }
  }
  const known = await trace(email, '10.9.1.1')
  const unknown = await trace(newEmail(), '10.9.1.2')
  expect(known.seen).toMatchObject({
    status: 200,
    body: JSON.stringify({ message: recoveryMessages.asked }),
  })
  expect(known.seen.before.filter((what) => what === 'queue' || what === 'D1 batch')).toEqual([])
  expect(unknown.seen).toEqual(known.seen)
  expect([known.after.includes('queue'), unknown.after.includes('queue')]).toEqual([true, false])

  const tryCode = async (address: string) => {
    const phone = new Client()
    await phone.post(`/api/invite/${token}/code`, { email: address })
    const tries = await inTurn(CODE_TRIES_MAX + 2, () =>
      phone.post(`/api/invite/${token}/contributor`, { code: '000000' }),
    )
    return tries.map(({ status, body }) => ({ status, body }))
  }
  const mailed = await tryCode(email)
  expect(mailed).toEqual(mailed.map(() => ({ status: 400, body: WRONG })))
  expect(await tryCode(newEmail())).toEqual(mailed)
})

test(
  'a code ends after five wrong tries, counted one by one even if they come at once',
  { tags: ['code-tries'] },
  async () => {
    const { asked, use } = await withAddress()
    const first = await asked()
    await inTurn(CODE_TRIES_MAX - 1, () => use(first.phone, otherThan(first.code)))
    expect((await use(first.phone, first.code)).status).toBe(200)

    const second = await asked(2)
    const tries = await atOnce(2 * CODE_TRIES_MAX, () => use(second.phone, otherThan(second.code)))
    expect(tries.map(({ status }) => status)).toEqual(tries.map(() => 400))
    expect((await rowsOf(contributorCodes, { wrongTries: CODE_TRIES_MAX })).length).toBe(1)
    const { status, body } = await use(second.phone, second.code)
    expect([status, body]).toEqual([400, WRONG])
  },
)

test('a code works once, even in ten tries at once', { tags: ['code-once', 'code-decides'] }, async () => {
  const { asked, use, memorial } = await withAddress()
  const { phone, code } = await asked()
  const bindings = { ...env, DB: barrierDb(10, /^update "contributor_codes"/u) }
  const tries = await atOnce(10, () =>
    use(Object.assign(new Client(), { cookies: new Map(phone.cookies), bindings }), code),
  )
  const statuses = tries.map(({ status }) => status)
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, ...Array(9).fill(400)])
  const winner = tries.find(({ status }) => status === 200)?.body.session.authToken
  const header = { headers: { 'X-Contributor-Token': winner } }
  const own = await new Client().get(`/api/memorials/${memorial.id}/contributor-session`, header)
  expect(own.status).toBe(200)
  expect((await use(phone, code)).status).toBe(400)
})

test('a code ends 15 minutes after it was mailed', { tags: ['code-expires'] }, async () => {
  const { asked, use, email } = await withAddress()
  const { phone, code } = await asked()
  const [row] = await rowsOf(contributorCodes, { email })
  const sentAt = (await rowsOf(mails, { recipient: email }))[0]?.sentAt ?? 0
  expect(Math.abs((row?.expiresAt ?? 0) - sentAt - 15 * MINUTE_MS)).toBeLessThan(MINUTE_MS)
  await changeRows(contributorCodes, { email }, { expiresAt: Date.now() - 1 })
  expect((await use(phone, code)).body).toEqual(WRONG)
})

test('a code is worth nothing in a browser that did not ask for it', async () => {
  const { asked, use, ask, email } = await withAddress()
  const { phone, code } = await asked()
  expect((await use(new Client(), code)).body).toEqual(WRONG)
  const other = new Client()
  await ask(other)
  await mailboxOf(email, 2)
  expect((await use(other, code)).body).toEqual(WRONG)
  // Nor do others' tries end it.
  await inTurn(CODE_TRIES_MAX, () => use(other, otherThan(code)))
  expect((await use(phone, code)).status).toBe(200)
})

test(
  'a code opens one memorial only, though the same address was left at two',
  { tags: ['code-own-memorial', 'code-people-of-memorial'] },
  async () => {
    const one = await withAddress()
    const two = await withAddress()
    await two.relative.put(`${two.path}/contributor-session/address`, { email: one.email })
    const { phone, code } = await one.asked()
    const cookie = phone.cookies.get(`code-${one.memorial.id}`) ?? ''
    phone.cookies.set(`code-${two.memorial.id}`, cookie)
    expect((await two.use(phone, code)).body).toEqual(WRONG)
    const { status, body } = await one.use(phone, code)
    expect([status, body.session.memorialId]).toEqual([200, one.memorial.id])
  },
)

test(
  'a link that is replaced while a code is tried opens nothing',
  { tags: ['code-needs-live-invite'] },
  async () => {
    const { asked, use, owner, path } = await withAddress()
    const { phone, code } = await asked()
    const DB = interceptedDb(env.DB, async ({ statements }, work) => {
      if (statements.some(({ query }) => query.startsWith('update "contributor_codes"')))
        await owner.post(`${path}/invite-link/rotate`)
      return work()
    })
    phone.bindings = { ...env, DB }
    expect((await use(phone, code)).body).toEqual(WRONG)
    phone.bindings = null
    expect((await use(phone, code)).status).toBe(404)
    expect((await phone.get(path)).status).toBe(403)
  },
)

test('after the family replaced the link, the new one leads a relative back', async () => {
  const { asked, owner, path, memorial } = await withAddress()
  const { phone, code } = await asked()
  await owner.post(`${path}/invite-link/rotate`)
  const token = await inviteTokenOf(owner, memorial.id)
  const { status } = await phone.post(`/api/invite/${token}/contributor`, { code })
  expect(status).toBe(200)
  expect((await phone.post(`${path}/comments`, { body: 'Here again' })).status).toBe(201)
})

test('two relatives with one address choose by name, and the code stays good meanwhile', async () => {
  const { asked, use, owner, memorial, email, path, relative } = await withAddress()
  const rudo = await contributorOf(owner, memorial.id, 'Rudo')
  await rudo.put(`${path}/contributor-session/address`, { email })
  const { phone, code } = await asked()
  const people = [rudo, relative].map(({ session: { contributorId, displayName } }) => ({
    contributorId,
    displayName,
  }))
  expect((await use(phone, otherThan(code))).body).toEqual(WRONG)
  expect((await use(phone, code)).body).toEqual({ people })
  // Somebody else's id is no choice.
  const third = await contributorOf(owner, memorial.id, 'Tendai')
  expect((await use(phone, code, third.session.contributorId)).body).toEqual({ people })
  const { body } = await use(phone, code, relative.session.contributorId)
  expect(body.session.contributorId).toBe(relative.session.contributorId)
  expect((await use(phone, code, rudo.session.contributorId)).body).toEqual(WRONG)
  expect((await rudo.get(path)).status).toBe(200)
})

test('visitors of the public page get no code', { tags: ['codes-not-for-visitors'] }, async () => {
  const { ask, owner, memorial, path } = await withAddress()
  await visitorOf(owner, memorial)
  const email = newEmail()
  await new Client().post(`/api/memorial/${memorial.slug}/visitor-messages`, {
    name: 'Zoe',
    body: 'Bye',
    email,
  })
  await mailboxOf(email, 1)
  await owner.patch(`${path}/privacy`, { privacy: 'INVITE' })
  await ask(new Client(), email)
  await ask(new Client(), email)
  expect(await rowsOf(contributorCodes, { email })).toEqual([])
  expect((await receivedBy(email)).map(({ subject }) => subject)).toEqual(['Your link to what you wrote'])
})

test(
  'a blocked relative stays blocked, and a blocked phone blocks whom it goes on as',
  { tags: ['recovered-browser-stays-blocked'] },
  async () => {
    const { asked, use, owner, path, memorial, relative } = await withAddress()
    const block = (id: string) => owner.post(`${path}/contributors/${id}/block`)
    const isBlocked = async (id: string) => (await rowsOf(contributors, { id }))[0]?.blockedAt !== null
    const { contributorId } = relative.session
    await block(contributorId)
    const first = await asked()
    await use(first.phone, first.code)
    expect(await isBlocked(contributorId)).toBe(true)
    await owner.delete(`${path}/contributors/${contributorId}/block`)
    expect(await isBlocked(contributorId)).toBe(false)

    const fresh = await contributorOf(owner, memorial.id, 'Farai')
    await block(fresh.session.contributorId)
    const { phone, code } = await asked(2)
    for (const [name, value] of phone.cookies) fresh.cookies.set(name, value)
    expect((await use(fresh, code)).status).toBe(200)
    expect(await isBlocked(contributorId)).toBe(true)
  },
)

test('what a new phone has added under another name stays there', async () => {
  const { asked, use, owner, path, memorial, relative } = await withAddress()
  const fresh = await contributorOf(owner, memorial.id, 'Farai C')
  await fresh.post(`${path}/comments`, { body: 'From the new phone' })
  const { phone, code } = await asked()
  for (const [name, value] of phone.cookies) fresh.cookies.set(name, value)
  expect((await use(fresh, code)).status).toBe(200)
  const rows = await rowsOf(comments, { memorialId: memorial.id })
  expect(
    Object.fromEntries(rows.map(({ body, authorContributorId }) => [body, authorContributorId])),
  ).toEqual({
    'From the new phone': fresh.session.contributorId,
    'Go well': relative.session.contributorId,
  })
})

test('codes and the mails that brought them go with the address, and with the memorial', async () => {
  const { asked, use, path, memorial, relative, email } = await withAddress()
  const { phone, code } = await asked()
  const left = async () => [
    (await rowsOf(contributorCodes, { email })).length,
    (await rowsOf(mails, { recipient: email })).length,
  ]
  expect(await left()).toEqual([1, 1])
  // The same address again changes nothing.
  await relative.put(`${path}/contributor-session/address`, { email })
  expect(await left()).toEqual([1, 1])
  await relative.put(`${path}/contributor-session/address`, { email: '' })
  expect(await left()).toEqual([0, 0])
  expect((await use(phone, code)).body).toEqual(WRONG)

  await relative.put(`${path}/contributor-session/address`, { email })
  await asked(1)
  expect(await left()).toEqual([1, 1])
  await purgeMemorial(testCtx(), memorial.id)
  expect(await left()).toEqual([0, 0])
  expect(await rowsOf(contributors, { memorialId: memorial.id })).toEqual([])
})

test(
  'a code is worth nothing once its address was taken back, even while it is tried',
  { tags: ['code-own-address'] },
  async () => {
    const { asked, use, relative } = await withAddress()
    const { phone, code } = await asked()
    const { contributorId: id } = relative.session
    const DB = interceptedDb(env.DB, async ({ statements }, work) => {
      if (statements.some(({ query }) => query.startsWith('update "contributor_codes"')))
        await changeRows(contributors, { id }, { email: newEmail() })
      return work()
    })
    phone.bindings = { ...env, DB }
    expect((await use(phone, code)).body).toEqual(WRONG)
    expect((await rowsOf(contributors, { id }))[0]?.tokenHash).toBe(hashToken(relative.session.authToken))
  },
)

test('neither the code nor the browser’s token is stored', async () => {
  const { asked, email } = await withAddress()
  const { phone, code } = await asked()
  const stored = JSON.stringify([
    await rowsOf(contributorCodes, { email }),
    await rowsOf(mails, { recipient: email }),
  ])
  expect(stored).toContain(email)
  expect(stored).not.toContain(code)
  for (const value of phone.cookies.values()) expect(stored).not.toContain(value)
})

test('a second attempt to send the mail brings the same code, and no longer life', async () => {
  const { asked, use, email } = await withAddress()
  const { phone, code } = await asked()
  const [before] = await rowsOf(contributorCodes, { email })
  await changeRows(mails, { recipient: email }, { status: 'QUEUED' })
  await sendMail(
    testCtx(() => Date.now() + 5 * MINUTE_MS),
    before?.mailId ?? '',
  )
  expect((await receivedBy(email)).map(codeIn)).toEqual([code, code])
  expect(await rowsOf(contributorCodes, { email })).toEqual([before])
  expect((await use(phone, code)).status).toBe(200)
})

test('a mail that is an hour late is cancelled, and ended codes are deleted at night', async () => {
  const { asked, email } = await withAddress()
  await asked()
  const [row] = await rowsOf(contributorCodes, { email })
  const later = testCtx(() => Date.now() + 2 * HOUR_MS)
  await changeRows(mails, { recipient: email }, { status: 'QUEUED' })
  await sendMail(later, row?.mailId ?? '')
  expect((await rowsOf(mails, { recipient: email })).map(({ status }) => status)).toEqual(['CANCELLED'])
  await deleteOldRecords(testCtx())
  expect((await rowsOf(contributorCodes, { email })).length).toBe(1)
  await deleteOldRecords(later)
  expect(await rowsOf(contributorCodes, { email })).toEqual([])
})

test('requests are limited by memorial and network, and by memorial, whoever is found', async () => {
  const { ask, memorial } = await withAddress()
  const phone = new Client()
  const { limit } = RATE_LIMITS.codeRequests
  const answers = await inTurn(limit + 1, () => ask(phone, newEmail()))
  expect(answers.map(({ status }) => status)).toEqual([...Array(limit).fill(200), 429])
  expect(answers.at(-1)?.headers.get('Retry-After')).toMatch(/^\d+$/u)
  expect((await ask(new Client(), newEmail())).status).toBe(200)
  const ctx = testCtx()
  await inTurn(RATE_LIMITS.codeRequestsOfMemorial.limit, () =>
    countRateLimit(ctx, 'codeRequestsOfMemorial', memorial.id),
  )
  const { status, body } = await ask(new Client(), newEmail())
  expect([status, body.message]).toEqual([429, recoveryMessages.manyCodes])
})

test('a mailbox gets three codes an hour and six a day, and the answer does not tell', async () => {
  const { ask, email, memorial } = await withAddress()
  const answers = await inTurn(RATE_LIMITS.codeMails.limit + 1, () => ask(new Client()))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  expect((await mailboxOf(email, RATE_LIMITS.codeMails.limit)).length).toBe(RATE_LIMITS.codeMails.limit)
  const here = `${memorial.id} ${email}`
  const hours = (count: number) => testCtx(() => Date.now() + count * HOUR_MS)
  // Three more an hour later, and none until the next day.
  const waits = await inTurn(3, () => countRateLimit(hours(2), 'codeMailsADay', here))
  expect(waits).toEqual([0, 0, 0])
  expect(await countRateLimit(hours(4), 'codeMailsADay', here)).toBeGreaterThan(0)
  expect(await countRateLimit(hours(25), 'codeMailsADay', here)).toBe(0)
})

test('an account that is signed in can go on as a relative', async () => {
  const { asked, use, path } = await withAddress()
  const { phone, code } = await asked()
  const person = await signedIn()
  for (const [name, value] of phone.cookies) person.cookies.set(name, value)
  expect((await use(person, code)).status).toBe(200)
  expect((await person.get(path)).body.viewer.role).toBe('CONTRIBUTOR')
})
