import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { unsubscribeMessages } from '#shared/accounts/unsubscribe-messages.ts'
import { unsubscribeToken } from '#worker/features/mail/unsubscribe.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { headerProblems } from '../../../../test/expected-headers.ts'
import { askWorker, memorialOf, ORIGIN, testCtx } from '../../../../test/worker/harness.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }

async function open() {
  const { owner, memorial } = await memorialOf()
  await changeRows(memorials, { id: memorial.id }, { tellAt: 1 })
  const token = unsubscribeToken(testCtx(), memorial.id, owner.user.id)
  const told = async () => {
    const [row] = await rowsOf(memorials, { id: memorial.id })
    return [row?.tellOwner, row?.tellAt]
  }
  return { owner, memorial, token, told }
}

/** As mail programs do it (RFC 8058): without cookie and `Origin`. */
const press = (token: string, headers: Record<string, string> = FORM) =>
  askWorker(`${ORIGIN}/unsubscribe/${token}`, { method: 'POST', body: 'List-Unsubscribe=One-Click', headers })

test('one click ends the mails, without session and Origin, as often as it is pressed', async () => {
  const { token, told } = await open()
  for (let n = 0; n < 2; n++) {
    const answer = await press(token)
    expect([answer.status, await told()]).toEqual([200, ['NEVER', null]])
    expect(headerProblems(answer, 'page')).toEqual([])
    expect(answer.headers.get('Referrer-Policy')).toBe('no-referrer')
    const page = await answer.text()
    expect(page).toContain(unsubscribeMessages.doneTitle)
    expect(page).not.toContain(token)
  }
})

test('another form type, or a browser that hides its origin, ends the mails as well', async () => {
  for (const headers of [
    { 'Content-Type': 'multipart/form-data; boundary=x' },
    { ...FORM, Origin: 'null', 'Sec-Fetch-Site': 'cross-site' },
    { ...FORM, Cookie: 'session=unknown' },
  ]) {
    const { token, told } = await open()
    expect([(await press(token, headers)).status, await told()]).toEqual([200, ['NEVER', null]])
  }
})

test('opening the address ends nothing; its page has a button that needs no script', async () => {
  const { owner, token, told } = await open()
  const answer = await askWorker(`${ORIGIN}/unsubscribe/${token}`)
  const page = await answer.text()
  expect([answer.status, await told()]).toEqual([200, ['AT_ONCE', 1]])
  expect(page).toContain(unsubscribeMessages.title)
  expect(page).toMatch(/<form data-plain="true" method="post">/u)
  expect(page).not.toContain(token)
  expect((await askWorker(`${ORIGIN}/unsubscribe/${token}`, { method: 'HEAD' })).status).toBe(200)
  expect((await owner.fetch(`/unsubscribe/${token}`)).status).toBe(200)
  expect(await told()).toEqual(['AT_ONCE', 1])
})

test(
  'a wrong token ends nothing, and the answer doesn’t tell it from a right one',
  { tags: ['unsubscribe-needs-token'] },
  async () => {
    const [one, other] = [await open(), await open()]
    const right = await (await press((await open()).token)).text()
    const secret = other.token.split('.')[1] ?? ''
    for (const token of [
      `${one.memorial.id}.${secret}`,
      `${one.memorial.id}.`,
      one.memorial.id,
      `${one.token}x`,
      `mem_unknown.${secret}`,
      '%00',
      'x'.repeat(3000),
      unsubscribeToken(testCtx(), one.memorial.id, other.owner.user.id),
    ]) {
      const answer = await press(token)
      expect([token, answer.status, await answer.text()]).toEqual([token, 200, right])
    }
    expect(await one.told()).toEqual(['AT_ONCE', 1])
    expect(await other.told()).toEqual(['AT_ONCE', 1])
  },
)

test('a link that was mailed before the pepper was replaced still works', async () => {
  const { token, told } = await open()
  const bindings = {
    ...env,
    PASSWORD_PEPPER: 'a new one',
    PASSWORD_PEPPER_OLD: env.PASSWORD_PEPPER as string,
  }
  await askWorker(`${ORIGIN}/unsubscribe/${token}`, { method: 'POST' }, bindings)
  expect(await told()).toEqual(['NEVER', null])
})
