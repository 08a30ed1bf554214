import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { replyMessages } from '#shared/funeral/gathering-messages.ts'
import { messages } from '#shared/messages.ts'
import { takeErrorLines } from '../runtime/error-lines.ts'
import { askWorker, Client } from '../harness.ts'
import { interceptedDb } from '../runtime/intercepted-db.ts'
import { coming, gatheringOf, replied, repliedByMail } from '../replies.ts'

const WORDS = 'She carried us.'

/** A client with the cookies of another, for whom the database deletes no replies. */
function whileDeletingFails({ cookies }: Client): Client {
  const client = new Client()
  for (const [name, value] of cookies) client.cookies.set(name, value)
  const DB = interceptedDb(env.DB, ({ statements }, work) => {
    if (statements.some(({ query }) => /^delete from "replies"/iu.test(query)))
      throw new Error('the database deletes nothing')
    return work()
  })
  client.send = (url, init) => askWorker(url, init, { DB })
  return client
}

const pageOf = (memorial: { id: string }) => `/memorial/${memorial.id}/replies`
const missing = (html: string, parts: string[]) => parts.filter((part) => !html.includes(part))

test('a refused withdrawal says why in its own form, which is open', async () => {
  const { memorial, replies } = await gatheringOf()
  const { client, reply } = await replied(replies)
  const failing = whileDeletingFails(client)
  const { status, html } = await failing.postForm(pageOf(memorial), { withdraw: reply.id })
  expect(status).toBe(500)
  const form = /<details[^>]*open=""[^>]*><summary[^>]*>Withdraw.*?<\/form>/u.exec(html)?.[0] ?? ''
  expect(missing(form, [replyMessages.notWithdrawn, messages.system.internal])).toEqual([])
  expect(takeErrorLines().length).toBeGreaterThan(0)
})

test('a reply that a browser can’t take back any more isn’t called withdrawn', async () => {
  const { memorial, replies, counts } = await gatheringOf()
  const { reply } = await replied(replies)
  const { status, html } = await new Client().postForm(pageOf(memorial), { withdraw: reply.id })
  expect([status, missing(html, [replyMessages.notFound])]).toEqual([404, []])
  expect(await counts()).toMatchObject({ coming: 1 })
})

test('a changed reply that the family has removed comes back with its words', async () => {
  const { owner, memorial, path, replies } = await gatheringOf()
  const { client, reply } = await replied(replies)
  await owner.delete(`${path}/replies/${reply.id}`)
  const { status, html } = await client.postForm(pageOf(memorial), {
    ...coming({ words: WORDS }),
    people: '1',
    change: reply.id,
  })
  expect(status).toBe(404)
  expect(missing(html, [replyMessages.refusedTitle, replyMessages.notFound, WORDS])).toEqual([])
})

test('a reply to a gathering that is gone comes back with its words', async () => {
  const { owner, memorial, event, eventPath } = await gatheringOf()
  await owner.delete(eventPath)
  const { status, html } = await new Client().postForm(pageOf(memorial), {
    ...coming({ words: WORDS }),
    people: '1',
    event: event.id,
  })
  expect(status).toBe(404)
  expect(missing(html, [replyMessages.refusedTitle, WORDS])).toEqual([])
})

test('a change by a link that has ended comes back with its words', async () => {
  const { replies } = await gatheringOf()
  const { client, reply, link, address } = await repliedByMail(replies)
  await client.delete(address)
  const page = link.replace('/api/replies/', '/reply/')
  const fields = { ...coming({ words: WORDS }), people: '1', change: reply.id }
  const { status, html } = await new Client().postForm(page, fields)
  expect(status).toBe(404)
  expect(missing(html, [replyMessages.linkOver, replyMessages.refusedTitle, WORDS])).toEqual([])
})

test('a refused change keeps its words in its form, and only there', async () => {
  const { memorial, replies } = await gatheringOf()
  const { client, reply } = await replied(replies)
  const fields = { ...coming({ words: WORDS, name: '' }), people: '1', change: reply.id }
  const { status, html } = await client.postForm(pageOf(memorial), fields)
  expect(status).toBe(400)
  expect(missing(html, [replyMessages.refusedTitle, WORDS, replyMessages.copyWords])).toEqual([
    replyMessages.copyWords,
  ])
})
