import { letInMessages } from '#shared/invites/let-in-messages.ts'
import { expect, test } from 'vitest'
import { messages } from '#shared/messages.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { headerProblems } from '../../expected-headers.ts'
import { askWorker, Client, contributorOf, inviteTokenOf, memorialOf, ORIGIN, testCtx } from '../harness.ts'
import { serverMessages } from '../../../src/worker/platform/server-messages.ts'

const { invite, memorial: words } = messages
const NAME = 'Zvikomborero Chokwadi'
const UNKNOWN = '00000000-0000-4000-8000-000000000000'

/** The page at this address: its answer, the text of its main part, and what its script gets. */
async function open(who: Client, path: string) {
  const answer = await who.fetch(path)
  const html = await answer.text()
  const main = /<main[^>]*>(.*)<\/main>/su.exec(html)?.[1] ?? ''
  const data = /<div id="root" data-refused="([^"]*)"/u.exec(html)?.[1]?.replaceAll('&quot;', '"')
  return {
    answer,
    html,
    text: main.replaceAll(/<!--.*?-->|<[^>]+>/gu, '|').replaceAll(/\|+/gu, '|'),
    data: data === undefined ? null : (JSON.parse(data) as { title: string; failed: unknown }),
  }
}

async function family() {
  const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE', name: NAME })
  const token = await inviteTokenOf(owner, memorial.id)
  return { owner, memorial, path, token, page: `/memorial/${memorial.id}` }
}

test('a memorial says to strangers why it does not open, as the app does', async () => {
  const { owner, path, token, page } = await family()
  const elsewhere = await family()
  const relative = await contributorOf(elsewhere.owner, elsewhere.memorial.id)
  const denied = [words.deniedTitle, words.deniedText]
  const hidden = [words.privateTitle, words.privateText]
  const missing = [words.notFoundTitle, words.notFoundText]
  const expectReason = async (who: Client, address: string, reason: string[], link: string[] = []) => {
    const { answer, html, text, data } = await open(who, address)
    expect([address, answer.status, text]).toEqual([
      address,
      200,
      `|${[...reason, ...link, 'Return Home'].join('|')}|`,
    ])
    expect(data).toEqual({ title: `${reason[0]} · Keeping Legacies Alive`, failed: null })
    expect(headerProblems(answer, 'page')).toEqual([])
    expect(answer.headers.get('Cache-Control')).toBe('private, no-store')
    expect(answer.headers.getSetCookie()).toEqual([])
    expect(
      [NAME, token, page.split('/')[2] ?? ''].filter((secret) =>
        html.replace(`${address}/ask`, '').includes(secret),
      ),
    ).toEqual([])
  }
  const before = await testCtx().db.$count(contributors)
  for (const who of [new Client(), relative]) await expectReason(who, page, denied, [letInMessages.title])
  await expectReason(new Client(), `${page}?invite=${elsewhere.token}`, denied)
  await expectReason(new Client(), '/memorial/mem_unknown', missing)
  await owner.patch(`${path}/privacy`, { privacy: 'PRIVATE' })
  for (const address of [page, `${page}?invite=${token}`]) await expectReason(new Client(), address, hidden)
  await owner.delete(path, { confirmName: NAME })
  for (const address of [page, `${page}?invite=${token}`]) await expectReason(new Client(), address, missing)
  expect(await testCtx().db.$count(contributors)).toBe(before)
})

test('an invitation that does not open says why, as the app does', async () => {
  const { owner, path, token, memorial } = await family()
  const relative = await contributorOf(owner, memorial.id)
  const expectReason = async (who: Client, address: string, title: string, text: string) => {
    const page = await open(who, address)
    expect([address, page.answer.status, page.text]).toEqual([
      address,
      200,
      `|${title}|${text}|Go to the start page|`,
    ])
    expect(page.data).toEqual({
      title: `${title} · Keeping Legacies Alive`,
      failed: { title, text, mayRetry: false },
    })
    expect(headerProblems(page.answer, 'page')).toEqual([])
    expect(page.answer.headers.get('Referrer-Policy')).toBe('no-referrer')
    // A preview shows what it shows for every invitation.
    expect(page.html).toContain(`<title>${invite.previewTitle} · Keeping Legacies Alive</title>`)
    expect([NAME, token, memorial.id].filter((secret) => page.html.includes(secret))).toEqual([])
  }
  await expectReason(new Client(), `/invite/${UNKNOWN}`, invite.endedTitle, invite.endedText)
  await owner.patch(`${path}/privacy`, { privacy: 'PRIVATE' })
  for (const who of [new Client(), relative])
    await expectReason(who, `/invite/${token}`, words.privateTitle, invite.privateText)
  await owner.patch(`${path}/privacy`, { privacy: 'INVITE' })
  await owner.post(`${path}/invite-link/rotate`)
  for (const who of [new Client(), relative])
    await expectReason(who, `/invite/${token}`, invite.endedTitle, invite.endedText)
})

test('wrong invitations count by address, and too many get the refusal of the API', async () => {
  const { page, token } = await family()
  const counted: string[] = []
  const openLimited = async (path: string, success: boolean) => {
    const LIMIT_INVITE = {
      async limit({ key }: { key: string }) {
        counted.push(`${path} ${key}`)
        return { success }
      },
    }
    const who = new Client()
    who.ip = '203.0.113.7'
    who.send = async (url, init) => askWorker(url, init, { LIMIT_INVITE })
    return open(who, path)
  }
  const wrong = [`/invite/${UNKNOWN}`, `${page}?invite=${UNKNOWN}`]
  for (const path of [`/invite/${token}`, page, '/memorial/mem_unknown', ...wrong])
    expect([path, (await openLimited(path, true)).answer.status]).toEqual([path, 200])
  expect(counted).toEqual(wrong.map((path) => `${path} 203.0.113.7`))
  const [link, address] = await Promise.all(wrong.map((path) => openLimited(path, false)))
  for (const refused of [link, address])
    expect([refused?.answer.status, refused?.answer.headers.get('Retry-After')]).toEqual([429, '60'])
  const title = messages.contributor.accessErrorTitle
  const text = serverMessages.system.tooManyRequests
  expect(link?.text).toBe(`|${title}|${text}|Try Again|Go to the start page|`)
  expect(link?.html).toContain(`href="/invite/${UNKNOWN}"`)
  expect(link?.data?.failed).toEqual({ title, text, mayRetry: true })
  expect(address?.text).toBe(`|${words.deniedTitle}|${words.deniedText}|Return Home|`)
  expect((await openLimited(`/invite/${token}`, false)).html).toContain(`${NAME}</h1>`)
})

test('with “Use less data” such a page has no fonts, and keeps its script', async () => {
  for (const [headers, hasFonts] of [
    [{}, true],
    [{ 'Save-Data': 'on' }, false],
  ] as const) {
    const html = await (await askWorker(`${ORIGIN}/invite/${UNKNOWN}`, { headers })).text()
    expect([html.includes('woff2'), html.includes('/assets/refused.js')]).toEqual([hasFonts, true])
  }
})
