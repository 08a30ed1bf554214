import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import type { Comment } from '#shared/comments/comments.ts'
import { line, lines } from '#shared/text.ts'
import { XSS_VECTORS } from '../../xss-vectors.ts'
import { contributorOf, memorialOf, type Client } from '../harness.ts'
import { NAUGHTY_LINES } from './naughty-lines.ts'

const clean = (text: string) => z.parse(line({ max: 100 }), text)

/** The answers to calls whose fields hold these texts, and what is read back afterwards. */
async function comesBack(
  sent: Record<string, string>,
  write: () => Promise<{ body: unknown }>,
  read: () => Promise<unknown>,
) {
  const wanted = Object.fromEntries(Object.entries(sent).map(([name, text]) => [name, clean(text)]))
  expect((await write()).body).toMatchObject(wanted)
  expect(await read()).toMatchObject(wanted)
}

test('strings that break programs come back from a service as sent, cleaned', async () => {
  const { owner, memorial } = await memorialOf()
  const path = `/api/memorials/${memorial.id}/funeral`
  const names = ['title', 'venueName', 'addressLine', 'city', 'region', 'country', 'notes']
  expect(NAUGHTY_LINES.length).toBeGreaterThan(150)
  for (let start = 0; start < NAUGHTY_LINES.length; start += names.length) {
    const sent = Object.fromEntries(names.map((name, index) => [name, NAUGHTY_LINES[start + index] ?? 'x']))
    await comesBack(
      sent,
      () => owner.put(path, { dateTime: '2026-06-06T10:00', ...sent }),
      async () => (await owner.get(`${path}-events`)).body.funeralEvents[0],
    )
  }
})

/** The lines with a non-ASCII character, and some of the others. */
const ODD = NAUGHTY_LINES.filter((text, index) => /[^\u0020-\u007e]/u.test(text) || index % 10 === 0)

test('naughty strings come back from names, sentences, labels and accounts', async () => {
  const { owner, path } = await memorialOf()
  for (const [index, text] of ODD.entries()) {
    const basics = { honoureeFullName: text, title: ODD.at(-index) ?? text }
    await comesBack(
      basics,
      () => owner.patch(path, basics),
      async () => (await owner.get(path)).body.memorial,
    )
  }
  for (const label of ODD.slice(0, 12)) {
    const place = { latitude: 1, longitude: 1, label }
    await comesBack(
      { label },
      () => owner.put(`${path}/location`, place),
      async () => (await owner.get(path)).body.location,
    )
  }
  for (const text of ODD.slice(0, 12)) {
    const person = { firstName: text, lastName: text }
    await comesBack(
      person,
      () => owner.patch('/api/account', person),
      async () => (await owner.get('/api/auth/user')).body,
    )
  }
})

test.each(['\ud800', 'a\u202eb\u2066c', 'e\u200b\u0301', `Z${'\u0335'.repeat(50)}`, '👩🏽\u200d🏫', 'x\u2029'])(
  'a contributor’s name is cleaned before it is stored: %j',
  async (name) => {
    const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
    const relative = await contributorOf(owner, memorial.id, `Rudo ${name}`)
    expect(relative.session.displayName).toBe(clean(`Rudo ${name}`))
    const { body } = await relative.post(`/api/memorials/${memorial.id}/comments`, { body: 'x' })
    expect(body.comment.authorName).toBe(relative.session.displayName)
  },
)

test.each([
  'Memorial Owner',
  'MEMORIAL  OWNER',
  'Rudo · Memorial Owner',
  'Ｍemorial Öwner',
  'memorial-owner',
  'M\u200be\u00admorialOwner',
])('nobody else can use the owner’s label as a name: %s', async (displayName) => {
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
  await expect(contributorOf(owner, memorial.id, displayName)).rejects.toThrow(/Please enter your own name/u)
})

async function postAll(
  writers: readonly Client[],
  path: string,
  bodies: readonly string[],
): Promise<string[]> {
  const posted = bodies.map(async (body, index) => {
    const answer = await writers[index % writers.length]?.post<{ comment: Comment }>(path, { body })
    return answer?.body.comment.body ?? ''
  })
  return Promise.all(posted)
}

test('hostile comments are stored as plain text, character by character', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
  const path = `/api/memorials/${memorial.id}/comments`
  const body = lines({ max: 2000 })
  const bodies: string[] = []
  const vectors = XSS_VECTORS.filter((text) => z.safeParse(body, text).success)
  for (const vector of vectors.filter((_, index) => index < 1000 || index % 10 === 0)) {
    const longer = `${bodies.at(-1) ?? ''}\n${vector}`
    if (bodies.length > 0 && longer.length < 1900) bodies[bodies.length - 1] = longer
    else bodies.push(vector)
  }
  const writers = await Promise.all(
    Array.from({ length: Math.ceil(bodies.length / 10) }, () => contributorOf(owner, memorial.id)),
  )
  const wanted = bodies.map((text) => z.parse(body, text))
  expect(await postAll(writers, path, bodies)).toEqual(wanted)
  const read: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: { comments: Comment[]; nextCursor: string | null } = (
      await owner.get(`${path}?cursor=${encodeURIComponent(cursor)}`)
    ).body
    read.push(...page.comments.map((comment) => comment.body))
    cursor = page.nextCursor
  }
  expect(read.toSorted()).toEqual(wanted.toSorted())
})
