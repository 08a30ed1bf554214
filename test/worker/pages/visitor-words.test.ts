import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { COMMENT_MAX, DAY_MS } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { hashToken } from '#worker/platform/random.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { headerProblems } from '../../expected-headers.ts'
import { takeErrorLines } from '../runtime/error-lines.ts'
import { brokenBinding } from '../faults/faults.ts'
import { askWorker, Client, memorialOf, ORIGIN } from '../harness.ts'
import { changeRows, rowsOf } from '../rows.ts'

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }
const WORDS = {
  message: 'She taught me to whistle.\r\nGo well.',
  name: 'Farai Chikomo',
  relation: 'Her pupil',
}
const STORED = 'She taught me to whistle.\nGo well.'

async function open(visitorMessages = 'APPROVED') {
  const { owner, memorial } = await memorialOf({ privacy: 'LOCKED', name: 'Sekai Ndlovu' })
  const path = `/api/memorials/${memorial.id}`
  await owner.patch(path, { visitorMessages })
  return { owner, memorial, path, words: `/m/${memorial.slug}/words` }
}

const sent = (client: Client, path: string, fields: Record<string, string>, headers = {}) =>
  client.postForm(path, fields, headers)

const shown = async (client: Client, path: string) => (await client.fetch(path)).text()

test('a visitor’s form leads to a page of their words, which only they see', async () => {
  const { memorial, words } = await open()
  const visitor = new Client()
  const page = await shown(visitor, `/m/${memorial.slug}`)
  expect(page).toContain(`action="${words}"`)
  const { status, to } = await sent(visitor, words, WORDS)
  expect([status, to]).toEqual([303, `${words}?left=1`])
  const answer = await visitor.fetch(to ?? '')
  expect(headerProblems(answer, 'page')).toEqual([])
  expect(answer.headers.get('Cache-Control')).toContain('no-store')
  expect(answer.headers.get('X-Robots-Tag')).toContain('noindex')
  const receipt = await answer.text()
  for (const part of [
    'Your words for Sekai Ndlovu',
    STORED,
    messages.visitors.readFirst,
    messages.visitors.isWaiting,
  ])
    expect(receipt).toContain(part)
  const others = await shown(new Client(), words)
  expect(others).toContain(messages.visitors.nothingLeft)
  expect(others).not.toContain('whistle')
})

test('where messages are shown at once, the page says so, and so does the memorial’s', async () => {
  const { memorial, words } = await open('AT_ONCE')
  const visitor = new Client()
  const { to } = await sent(visitor, words, WORDS)
  const receipt = await shown(visitor, to ?? '')
  expect(receipt).toContain(messages.visitors.isShown)
  expect(receipt).toContain(messages.visitors.isOnPage)
  const page = await shown(new Client(), `/m/${memorial.slug}`)
  expect(page).toContain(STORED)
  expect(page).toContain('Her pupil')
})

test('a visitor takes their words back without script; others can’t', async () => {
  const { memorial, words } = await open()
  const [visitor, other] = [new Client(), new Client()]
  await sent(visitor, words, WORDS)
  await sent(other, words, { ...WORDS, message: 'Zororai' })
  const theirs = (await rowsOf(comments, { memorialId: memorial.id })).find(({ body }) => body === STORED)
  await sent(other, words, { take: theirs?.id ?? '' })
  expect(await shown(visitor, words)).toContain('whistle')
  const take = { take: theirs?.id ?? '' }
  const done = await sent(visitor, words, take)
  // Pressed twice.
  expect((await sent(visitor, words, take)).to).toBe(done.to)
  expect([done.status, done.to]).toEqual([303, `${words}?taken=1`])
  expect(await shown(visitor, done.to ?? '')).toContain(messages.visitors.takenBack)
  expect(await rowsOf(comments, { memorialId: memorial.id })).toHaveLength(1)
  // The same words are new after that.
  expect((await sent(visitor, words, WORDS)).status).toBe(303)
  expect(await rowsOf(comments, { memorialId: memorial.id })).toHaveLength(2)
})

test(
  'whoever comes back to their words, or writes again, keeps them for as long again',
  { tags: ['only-sessions-renewed'] },
  async () => {
    const { memorial, words } = await open('AT_ONCE')
    const visitor = new Client()
    await sent(visitor, words, WORDS)
    const [person] = await rowsOf(contributors, { memorialId: memorial.id })
    const { id = '', tokenHash } = person ?? {}
    const entry = `contributor:${tokenHash}`
    const soon = Date.now() + DAY_MS
    const age = async () => {
      await changeRows(contributors, { id }, { expiresAt: soon })
      await env.KV.put(entry, id, { expiration: Math.floor(soon / 1000) })
    }
    /** Days for which the row and the entry in KV are kept. */
    const kept = async () => {
      const [row] = await rowsOf(contributors, { id })
      const { keys } = await env.KV.list({ prefix: entry })
      const ends = [row?.expiresAt ?? 0, (keys[0]?.expiration ?? 0) * 1000]
      return ends.map((at) => Math.round((at - Date.now()) / DAY_MS))
    }
    const api = `/api/memorial/${memorial.slug}/visitor-messages`
    const ways = [
      async () => visitor.fetch(words),
      async () => visitor.fetch(api),
      async () => (await sent(visitor, words, { ...WORDS, message: 'Again' })).answer,
    ]
    for (const comeBack of ways) {
      await age()
      const cookies = (await comeBack()).headers.getSetCookie()
      expect(cookies).toEqual([expect.stringMatching(/^contributor-mem_\w+=.*Max-Age=34560000/u)])
      expect(await kept()).toEqual([400, 400])
      expect((await visitor.fetch(words)).headers.getSetCookie()).toEqual([])
    }
    // A mailed link is no session, and renews none.
    await age()
    await changeRows(contributors, { id }, { mailTokenHash: hashToken('mailed') })
    await env.KV.put(`contributor:${hashToken('mailed')}`, id)
    const byLink = await new Client().get(api, { headers: { 'X-Contributor-Token': 'mailed' } })
    expect([byLink.body.comments.length, await kept()]).toEqual([2, [1, 1]])
    // What the phone left under another address.
    await sent(visitor, words, { ...WORDS, message: 'Once more', email: 'other@visitor.test' })
    const cookies = (await visitor.fetch(words)).headers.getSetCookie()
    expect(cookies).toEqual([expect.stringMatching(/^words-.*Max-Age=34560000/u)])
    expect(await kept()).toEqual([400, 400])
  },
)

test('a form that is sent twice is stored once, and the browser can take it back', async () => {
  const { memorial, words } = await open()
  const [lost, visitor] = [new Client(), new Client()]
  visitor.ip = lost.ip
  await sent(lost, words, WORDS)
  const { to } = await sent(visitor, words, WORDS)
  expect(await rowsOf(comments, { memorialId: memorial.id })).toHaveLength(1)
  expect(await shown(visitor, to ?? '')).toContain('Take back')
  expect((await sent(visitor, words, WORDS)).status).toBe(303)
  expect(await rowsOf(comments, { memorialId: memorial.id })).toHaveLength(1)
  // A browser that takes no cookies.
  const page = await shown(new Client(), to ?? '')
  for (const part of [messages.visitors.readFirst, messages.visitors.noCookie]) expect(page).toContain(part)
})

test('a refused form comes back with all words and what is wrong', async () => {
  const { memorial, words } = await open()
  const long = 'x'.repeat(COMMENT_MAX + 1)
  const { status, html } = await sent(new Client(), words, { ...WORDS, message: long, name: ' ' })
  expect(status).toBe(400)
  for (const part of [long, WORDS.relation, messages.comment.tooLong, messages.contributor.nameRequired])
    expect(html).toContain(part)
  const foreign = await sent(new Client(), words, WORDS, { Origin: 'https://elsewhere.example' })
  expect([foreign.status, foreign.html.includes('whistle')]).toEqual([403, false])
  expect(await rowsOf(comments, { memorialId: memorial.id })).toEqual([])
})

test('what somebody wrote isn’t lost when the family closes the page meanwhile', async () => {
  const { owner, memorial, path, words } = await open()
  await owner.patch(path, { visitorMessages: 'NOBODY' })
  const closed = await sent(new Client(), words, WORDS)
  expect(closed.status).toBe(409)
  for (const part of [STORED, messages.visitors.closed]) expect(closed.html).toContain(part)
  expect(await shown(new Client(), `/m/${memorial.slug}`)).not.toContain('leave-a-message')
  await owner.patch(`${path}/privacy`, { privacy: 'PRIVATE' })
  const hidden = await sent(new Client(), words, WORDS)
  expect([hidden.status, hidden.answer.headers.get('Content-Type')]).toEqual([
    403,
    'text/plain; charset=utf-8',
  ])
  expect(hidden.html).toContain(STORED)
  expect(hidden.html).not.toContain('Sekai')
  for (const address of [words, '/m/nobody-abcdef/words']) {
    const page = await new Client().fetch(address)
    expect(await page.text()).not.toContain('Sekai')
  }
})

test('hostile words and names stay text on the page of a visitor’s words', async () => {
  const { words } = await open()
  const visitor = new Client()
  const hostile = '<script>alert(1)</script><img src=x onerror=alert(1)>"\'&'
  await sent(visitor, words, { message: hostile, name: hostile, relation: hostile.slice(0, 60) })
  const html = await shown(visitor, words)
  expect(html).not.toContain('<script>alert')
  expect(html).not.toContain('<img src=x')
  expect(html).toContain('&lt;script&gt;alert(1)')
})

test('while the database is down, the visitor gets their words back as text', async () => {
  const { words } = await open()
  const DB = brokenBinding(env.DB, 'the database is down')
  const body = String(new URLSearchParams(WORDS))
  const headers = { ...FORM, Origin: ORIGIN }
  const answer = await askWorker(`${ORIGIN}${words}`, { method: 'POST', body, headers }, { DB })
  expect([answer.status, await answer.text()]).toEqual([500, expect.stringContaining(STORED)])
  expect(takeErrorLines().length).toBeGreaterThan(0)
})
