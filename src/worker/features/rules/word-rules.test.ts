import { expect, test } from 'vitest'
import type { Comment } from '#shared/comments/comments.ts'
import { DAY_MS } from '#shared/limits.ts'
import type { Media } from '#shared/media/media.ts'
import { messages } from '#shared/messages.ts'
import type { VisitorMessages } from '#shared/memorials/memorials.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { media } from '#worker/schema/media.table.ts'
import { Client, contributorOf, memorialOf, signedIn } from '../../../../test/worker/harness.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import { sendFixture } from '../../../../test/worker/uploads.ts'

const TENDER = 'She taught me to whistle.'
const HURTFUL = 'Good riddance.'
const LONG =
  'I prayed at the river for the family, and the river prayed with me until the moon rose over Chivi and we all slept.'

async function open(visitorMessages: VisitorMessages = 'AT_ONCE') {
  const { owner, memorial, path } = await memorialOf({ privacy: 'LOCKED' })
  await owner.patch(path, { visitorMessages })
  const words = `/api/memorial/${memorial.slug}/visitor-messages`
  const leave = async (body: string, name = 'Farai Chikomo') =>
    (await new Client().post<{ comment: Comment }>(words, { name, relation: 'Her pupil', body })).body.comment
  /** How it is held: the reason, or how without one, or that it isn't. */
  const heldAs = async (body: string, name?: string) => {
    const { id } = await leave(body, name)
    const [row] = await rowsOf(comments, { id })
    return row?.isHeld ? `${row.heldAs} ${row.heldReason ?? ''}`.trim() : 'shown'
  }
  return { owner, memorial, path, words, leave, heldAs }
}

test(
  'where visitors’ words appear at once, what a rule finds is held with its reason',
  { tags: ['found-things-wait'] },
  async () => {
    const { heldAs } = await open()
    expect(await heldAs(TENDER)).toBe('shown')
    expect(await heldAs(HURTFUL)).toBe('MAY_HURT WORDS')
    expect(await heldAs('See www.coffins.co.zw')).toBe('MAY_HURT LINK')
    expect(await heldAs('Phone 0772 123 456')).toBe('MAY_HURT CONTACT')
    expect(await heldAs('WHERE IS THE MONEY?? '.repeat(5))).toBe('MAY_HURT SHOUTING')
    expect(await heldAs(TENDER, 'www.coffins.co.zw')).toBe('MAY_HURT LINK')
  },
)

test('where the family reads first, a rule only sorts what waits', async () => {
  const { heldAs } = await open('APPROVED')
  expect([await heldAs(TENDER), await heldAs(HURTFUL)]).toEqual(['WAITING', 'MAY_HURT WORDS'])
})

test('the receipt of what a rule holds says the family reads it first, and never why', async () => {
  const { memorial, words } = await open()
  const visitor = new Client()
  const { body } = await visitor.post<{ comment: Comment }>(words, {
    name: 'Farai',
    relation: '',
    body: HURTFUL,
  })
  expect(body.comment).toMatchObject({ isHeld: true })
  expect(body.comment).not.toHaveProperty('heldReason')
  const receipt = await (await visitor.fetch(`/m/${memorial.slug}/words?left=1`)).text()
  for (const part of [messages.visitors.readFirst, messages.visitors.isWaiting])
    expect(receipt).toContain(part)
  for (const part of [messages.visitors.isShown, messages.visitors.isOnPage, 'MAY_HURT', 'WORDS'])
    expect(receipt).not.toContain(part)
  // Without cookies we can't know what became of it.
  const unknown = await (await new Client().fetch(`/m/${memorial.slug}/words?left=1`)).text()
  expect(unknown).not.toContain(messages.visitors.isShown)
})

test('the same longer words in a third memorial are held, short ones never', async () => {
  const stages = [await open(), await open(), await open()]
  const held: string[] = []
  for (const { heldAs } of stages) held.push(await heldAs(LONG), await heldAs('Rest in peace'))
  expect(held).toEqual(['shown', 'shown', 'shown', 'shown', 'MAY_HURT REPEATED', 'shown'])
  // Somebody who says the same again in one memorial repeats nothing elsewhere.
  const [first] = stages
  expect(await first?.heldAs(LONG.toUpperCase())).toBe('MAY_HURT REPEATED')
})

test('prayers, and what an admin allows, are the same everywhere', async () => {
  const { heldAs } = await open()
  const others = [await open(), await open()]
  const admin = await signedIn({ admin: true })
  await admin.post('/api/admin/words', { word: 'the old school song', kind: 'ALLOW' })
  const psalm =
    'The Lord is my shepherd; I shall not want.\nHe maketh me to lie down in green pastures: he leadeth me.'
  const song = `We sing for you the old school song: ${'far over the hills. '.repeat(4)}`
  for (const words of [psalm, song]) {
    for (const other of others) await other.heldAs(words)
    expect(await heldAs(words)).toBe('shown')
  }
})

test('the same words in one memorial, or a week later, aren’t repeated', async () => {
  const { heldAs } = await open()
  const again = `${LONG} Again.`
  expect([await heldAs(again), await heldAs(`${again}!`), await heldAs(`${again}!!`)]).toEqual([
    'shown',
    'shown',
    'shown',
  ])
  const [second, third] = [await open(), await open()]
  const before = await second.leave(again)
  await changeRows(comments, { id: before.id }, { createdAt: Date.now() - 8 * DAY_MS })
  expect(await third.heldAs(again)).toBe('shown')
})

test('invited people’s words appear at once, and are sorted if the family reads first', async () => {
  const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE' })
  const relative = await contributorOf(owner, memorial.id)
  const post = async (body: string) => {
    const answer = await relative.post<{ comment: Comment }>(`${path}/comments`, { body })
    const [row] = await rowsOf(comments, { id: answer.body.comment.id })
    return [row?.isHeld, row?.heldAs, row?.heldReason]
  }
  expect(await post('Photos: https://photos.example.com')).toEqual([false, 'WAITING', null])
  await owner.patch(path, { holdNew: true })
  expect(await post('More photos: https://photos.example.com')).toEqual([true, 'MAY_HURT', 'LINK'])
  expect(await post(TENDER)).toEqual([true, 'WAITING', null])
  const own = await owner.post<{ comment: Comment }>(`${path}/comments`, { body: 'Call 0772 123 456' })
  expect(own.body.comment).not.toHaveProperty('isHeld')
})

test('an invited person’s caption sorts what waits, and a better one sorts it back', async () => {
  const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE' })
  await owner.patch(path, { holdNew: true })
  const relative = await contributorOf(owner, memorial.id)
  const id = await sendFixture(relative, memorial.id, 'photo.png')
  const held = async () => {
    const [row] = await rowsOf(media, { id })
    return [row?.isHeld, row?.heldAs, row?.heldReason]
  }
  const write = (caption: string) => relative.patch<Media>(`/api/media/${id}`, { caption })
  expect(await held()).toEqual([true, 'WAITING', null])
  expect((await write(HURTFUL)).body).not.toHaveProperty('heldReason')
  expect(await held()).toEqual([true, 'MAY_HURT', 'WORDS'])
  await relative.patch(`/api/media/${id}`, { alt: 'A woman at a river' })
  expect(await held()).toEqual([true, 'MAY_HURT', 'WORDS'])
  await write(TENDER)
  expect(await held()).toEqual([true, 'WAITING', null])
  await changeRows(media, { id }, { heldAs: 'MAY_HURT', heldReason: 'REPORTS' })
  await owner.patch(path, { holdNew: false })
  expect((await write(TENDER)).status).toBe(200)
  expect(await held()).toEqual([true, 'MAY_HURT', 'REPORTS'])
})

test.each([true, false])(
  'words changed after a decline or under a block are judged (reading first: %s)',
  async (holdNew) => {
    const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE' })
    await owner.patch(path, { holdNew: true })
    const relative = await contributorOf(owner, memorial.id)
    const id = await sendFixture(relative, memorial.id, 'photo.png')
    const block = `${path}/contributors/${relative.session.contributorId}/block`
    const held = async () => {
      const [row] = await rowsOf(media, { id })
      return `${row?.heldAs} ${row?.heldReason}`
    }
    const write = async (caption: string) => {
      expect((await relative.patch(`/api/media/${id}`, { caption })).status).toBe(200)
      return held()
    }
    await owner.patch(path, { holdNew })
    await owner.post(`${path}/held/decline`, { ids: [id] })
    expect(await write(HURTFUL)).toBe('DECLINED WORDS')
    await owner.post(`${path}/held/undo`, { ids: [id] })
    expect(await held()).toBe('MAY_HURT WORDS')
    expect(await write(TENDER)).toBe('WAITING null')
    await owner.post(block)
    expect(await write(HURTFUL)).toBe('BLOCKED_UNREAD WORDS')
    await owner.delete(block)
    expect(await held()).toBe('MAY_HURT WORDS')
  },
)

test('an admin’s words hold messages from then on, or let them pass', async () => {
  const admin = await signedIn({ admin: true })
  const { heldAs } = await open()
  expect(await heldAs('You bandit king')).toBe('shown')
  await admin.post('/api/admin/words', { word: 'Bandit*', kind: 'HOLD' })
  expect(await heldAs('You bandits of Chivi')).toBe('MAY_HURT WORDS')
  await admin.post('/api/admin/words', { word: 'good riddance', kind: 'ALLOW' })
  expect(await heldAs('Good riddance to the pain.')).toBe('shown')
  await admin.delete(`/api/admin/words/${encodeURIComponent('bandit*')}`)
  expect(await heldAs('You bandit of Chivi!')).toBe('shown')
})
