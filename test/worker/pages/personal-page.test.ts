import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import type { PersonalData } from '#client/public-page/render-personal.tsx'
import { escapeHtml } from '#worker/platform/escape.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { headerProblems } from '../../expected-headers.ts'
import { takeErrorLines } from '../runtime/error-lines.ts'
import { brokenBinding } from '../faults/faults.ts'
import {
  askWorker,
  Client,
  contributorOf,
  inviteTokenOf,
  memorialOf,
  ORIGIN,
  signedIn,
  testCtx,
} from '../harness.ts'
import { sendPortrait } from '../uploads.ts'

const EMPTY = '<div id="root"></div>'

async function open(who: Client, path: string) {
  const answer = await who.fetch(path)
  const html = await answer.text()
  const json = /<script type="application\/json" id="page-data">(.*)<\/script>/u.exec(html)?.[1]
  return { answer, html, data: json === undefined ? null : (JSON.parse(json) as PersonalData) }
}

/** A memorial for invited people with two relatives, and what each of them and its owner added. */
async function family() {
  const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE', name: 'Zvikomborero Chokwadi' })
  await owner.patch(path, { lifeStory: '<p>She was born in <strong>Chipinge</strong>.</p>' })
  await sendPortrait(owner, memorial.id, 'photo-rotated-6.jpg')
  const farai = await contributorOf(owner, memorial.id, 'Farai <Chikomo>')
  const rudo = await contributorOf(owner, memorial.id, 'Rudo Banda')
  await farai.post(`${path}/comments`, { body: 'Go well, teacher.' })
  await owner.patch(path, { holdNew: true })
  await rudo.post(`${path}/comments`, { body: 'Held until the family has read it.' })
  const token = await inviteTokenOf(owner, memorial.id)
  return { owner, memorial, path, farai, rudo, token, page: `/memorial/${memorial.id}` }
}

test('an invitation opens the whole memorial, and starts no session', async () => {
  const { memorial, token, page } = await family()
  const before = await testCtx().db.$count(contributors)
  for (const path of [`/invite/${token}`, `${page}?invite=${token}`]) {
    const { answer, html, data } = await open(new Client(), path)
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([200, []])
    expect(headerProblems({ status: 200, headers: answer.headers }, 'page')).toEqual([])
    expect(answer.headers.get('Cache-Control')).toBe('private, no-store')
    expect(answer.headers.get('Referrer-Policy')).toBe('no-referrer')
    const parts = [
      'Zvikomborero Chokwadi</h1>',
      'She was born in <strong>Chipinge</strong>.',
      'Go well, teacher.',
      `invite=${token}`,
      'Add a photo, a voice message or a few words',
      'Write a message',
      `data-address="${page}?invite=${token}"`,
    ]
    expect(parts.filter((part) => !html.includes(part))).toEqual([])
    expect([data?.view.memorial.id, data?.own, data?.user]).toEqual([memorial.id, null, null])
  }
  expect(await testCtx().db.$count(contributors)).toBe(before)
})

test('the page holds what the calls answer, for each who opens it', async () => {
  const { owner, memorial, path, farai, rudo, token, page } = await family()
  const guest = await contributorOf(owner, memorial.id, 'Guest Visitor')
  const stranger = await signedIn()
  const link = `?invite=${token}`
  for (const [who, search] of [
    [new Client(), link],
    [guest, ''],
    [farai, ''],
    [rudo, link],
    [owner, ''],
    [owner, link],
    [stranger, link],
  ] as const) {
    const { data } = await open(who, page + search)
    const calls = [path, `${path}/media`, `${path}/comments`].map((call) => who.get(call + search))
    const [view, media, comments] = await Promise.all(calls)
    expect([data?.view, data?.media, data?.comments]).toEqual([view?.body, media?.body, comments?.body])
    const own = await who.get(`${path}/contributor-session${search}`)
    expect(data?.own).toEqual(own.status === 200 ? own.body : null)
    const user = await who.get('/api/auth/user')
    expect(data?.user).toEqual(user.status === 200 ? user.body : null)
  }
})

test('nobody’s parts of the page reach another, in whatever order they come', async () => {
  const { owner, farai, rudo, token, page } = await family()
  const other = await family()
  const link = `${page}?invite=${token}`
  const secrets = {
    farai: ['your name as <!-- -->Farai &lt;Chikomo&gt;'],
    rudo: ['your name as <!-- -->Rudo Banda'],
    held: ['Held until the family has read it.'],
    owner: ['Edit Memorial', owner.user.id, owner.user.email],
    other: [other.token, other.memorial.id],
  }
  for (const round of [1, 2, 3]) {
    const [first, guest, second, mine, theirs] = await Promise.all([
      open(farai, page),
      open(new Client(), link),
      open(rudo, page),
      open(owner, page),
      open(new Client(), `/invite/${other.token}`),
    ])
    const seen = (html: string) =>
      Object.entries(secrets).flatMap(([who, texts]) =>
        texts.some((text) => html.includes(text)) ? who : [],
      )
    expect([round, seen(first.html)]).toEqual([round, ['farai']])
    expect(seen(guest.html)).toEqual([])
    expect(seen(second.html)).toEqual(['rudo', 'held'])
    expect(seen(mine.html)).toEqual(['held', 'owner'])
    expect(seen(theirs.html)).toEqual(['other'])
  }
})

test('relatives who added nothing share a page, each with their own name and session', async () => {
  const { owner, memorial, page } = await family()
  const names = ['$& $1 $`', 'Ann "A" O’Neil <b>', '</script><script>', 'Back \\ slash', 'Guest Visitor']
  const relatives = await Promise.all(
    names.map(async (name) => ({ name, who: await contributorOf(owner, memorial.id, name) })),
  )
  for (const { name, who } of [...relatives, ...relatives.toReversed()]) {
    const { html, data } = await open(who, page)
    const own = await who.get(`/api/memorials/${memorial.id}/contributor-session`)
    expect(data?.own).toEqual(own.body)
    expect(data?.own?.displayName).toBe(name)
    const shown = name === 'Guest Visitor' ? [] : [escapeHtml(name)]
    const found = [...html.matchAll(/sees your name as (?:<!-- -->)?(.*?)<!-- -->/gu)].map(([, text]) => text)
    expect(found).toEqual(shown)
    // Neither another's name nor what stands for one.
    const others = relatives.filter((one) => one.name !== name && one.name !== 'Guest Visitor')
    expect(others.filter((one) => html.includes(escapeHtml(one.name))).map((one) => one.name)).toEqual([])
    expect(html).not.toMatch(/name-[0-9a-f]{8}-|con_[0-9a-f]{8}-/u)
  }
})

test('whoever has a session and may not see it gets the app, whose call says why', async () => {
  const { owner, farai, token, page, path } = await family()
  const empty = async (who: Client, address: string) => {
    const { html, data } = await open(who, address)
    expect([address, html.includes(EMPTY), html.includes('Chokwadi'), data]).toEqual([
      address,
      true,
      false,
      null,
    ])
  }
  const elsewhere = await family()
  const admin = await signedIn({ admin: true })
  for (const who of [await signedIn(), elsewhere.owner, admin]) await empty(who, page)
  await empty(admin, `${page}?invite=${token}`)
  await empty(elsewhere.owner, '/invite/unknown')
  // The link is replaced: sessions that used it end with it.
  await owner.post(`${path}/invite-link/rotate`)
  await empty(farai, page)
  await empty(farai, `${page}?invite=${token}`)
  await owner.patch(`${path}/privacy`, { privacy: 'PRIVATE' })
  await empty(farai, page)
  expect((await open(owner, page)).html).toContain('Edit Memorial')
})

test('words of a family can’t end the data or run in the page', async () => {
  const { owner, path, page, token } = await family()
  await owner.patch(path, { holdNew: false })
  const relative = await contributorOf(owner, page.split('/')[2] ?? '', '</script><script>alert(1)</script>')
  await relative.post(`${path}/comments`, { body: '</script><img src=x onerror=alert(1)><!--' })
  for (const who of [new Client(), relative]) {
    const { html, data } = await open(who, `${page}?invite=${token}`)
    expect(html.match(/<script/gu)).toHaveLength(2)
    expect(html).not.toContain('<img src=x')
    expect(data?.comments.comments[0]?.body).toBe('</script><img src=x onerror=alert(1)><!--')
  }
})

test('with “Use less data” the page has few images and no fonts, and keeps its script', async () => {
  const { token } = await family()
  const plain = await askWorker(`${ORIGIN}/invite/${token}`)
  const light = await askWorker(`${ORIGIN}/invite/${token}`, { headers: { 'Save-Data': 'on' } })
  const [full, less] = [await plain.text(), await light.text()]
  expect([full.includes('woff2'), less.includes('woff2')]).toEqual([true, false])
  expect([full, less].map((html) => html.includes('/assets/personal.js'))).toEqual([true, true])
  expect(less).toContain('Show everything')
})

test('while the database is down, the app opens and shows the error', async () => {
  const { token } = await family()
  const DB = brokenBinding(env.DB, 'the database is down')
  const answer = await askWorker(`${ORIGIN}/invite/${token}`, {}, { DB })
  expect([answer.status, (await answer.text()).includes(EMPTY)]).toEqual([200, true])
  expect(takeErrorLines().join()).toContain('page_not_written')
})
