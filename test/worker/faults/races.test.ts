import { createExecutionContext, env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { messages } from '#shared/messages.ts'
import { handleApi } from '#worker/api.ts'
import { fixture } from '../fixtures.ts'
import { contributorOf, memorialOf } from '../harness.ts'
import { giveReceipts, stateErrors } from '../state.ts'
import { mediaRowsOf, objectsOf, quotaItemsOf, slowUpload, upload } from '../uploads.ts'

test('of 20 concurrent photos for one remaining place exactly one is stored', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
  const relative = await contributorOf(owner, memorial.id)
  const photo = { bytes: await fixture('photo.png'), name: 'a.png', type: 'IMAGE' }
  for (let at = 0; at < 9; at++) await upload(relative, memorial.id, photo)
  const answers = await Promise.all(Array.from({ length: 20 }, () => upload(relative, memorial.id, photo)))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(answers.filter(({ body }) => body.code === 'quota_exceeded')).toHaveLength(19)
  expect(await mediaRowsOf(memorial.id)).toHaveLength(10)
  expect(await quotaItemsOf(memorial.id)).toHaveLength(10)
  expect(await objectsOf(memorial.id)).toHaveLength(30)
  await giveReceipts()
  expect(await stateErrors([memorial.id])).toEqual([])
})

test(
  'an upload while its memorial is deleted is not stored, even after a restore',
  { tags: ['write-needs-existing-memorial'] },
  async () => {
    const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
    const relative = await contributorOf(owner, memorial.id)
    const photo = { bytes: await fixture('photo-gps.jpg'), name: 'a.jpg', type: 'IMAGE' }
    const sending = [owner, relative].map((sender) => slowUpload(sender, memorial.id, photo, 5000))
    for (const { started } of sending) await started
    const confirmName = memorial.honoureeFullName
    expect((await owner.delete(`/api/memorials/${memorial.id}`, { confirmName })).status).toBe(200)
    for (const slow of sending) expect((await slow.finish()).status).toBe(409)
    const message = await relative.post(`/api/memorials/${memorial.id}/comments`, { body: 'She sang.' })
    expect(message.status).toBe(404)
    await owner.post(`/api/memorials/${memorial.id}/restore`)
    await giveReceipts()
    expect(await stateErrors([memorial.id])).toEqual([])
    expect([await mediaRowsOf(memorial.id), await objectsOf(memorial.id)]).toEqual([[], []])
    expect(await quotaItemsOf(memorial.id)).toEqual([])
  },
)

test('making a memorial public amid 25 writes accepts each whole or not at all', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
  const relatives = await Promise.all([1, 2, 3].map(() => contributorOf(owner, memorial.id)))
  const photo = { bytes: await fixture('photo.png'), name: 'a.png', type: 'IMAGE' }
  const path = `/api/memorials/${memorial.id}`
  const writes = Array.from({ length: 20 }, (_, at) =>
    relatives[at % 3]?.post(`${path}/comments`, { body: `Message ${at}` }),
  )
  const photos = Array.from({ length: 5 }, (_, at) => upload(relatives[at % 3] ?? owner, memorial.id, photo))
  const lock = owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
  const answers = await Promise.all([...writes, ...photos])
  expect((await lock).status).toBe(200)
  const refused = answers.filter((answer) => answer?.status !== 201)
  expect(refused.every((answer) => answer?.body.code === 'memorial_locked')).toBe(true)
  const late = await relatives[0]?.post(`${path}/comments`, { body: 'Late' })
  expect([late?.status, late?.body.message]).toEqual([409, messages.memorial.locked])
  const stored = await env.DB.prepare('SELECT count(*) FROM comments WHERE memorial_id = ?')
    .bind(memorial.id)
    .first('count(*)')
  expect(Number(stored) + (await mediaRowsOf(memorial.id)).length).toBe(answers.length - refused.length)
  await giveReceipts()
  expect(await stateErrors([memorial.id])).toEqual([])
})

test('a comment is refused if the memorial becomes public between its read and write', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
  const relative = await contributorOf(owner, memorial.id)
  const lock = env.DB.prepare("UPDATE memorials SET privacy = 'LOCKED', locked_at = 1 WHERE id = ?")
  const locksFirst = new Proxy(env.DB, {
    get(database, name, itself) {
      if (name === 'withSession') return () => itself as unknown
      if (name === 'batch') {
        return async (statements: D1PreparedStatement[]) => {
          await lock.bind(memorial.id).run()
          return database.batch(statements)
        }
      }
      const value: unknown = Reflect.get(database, name)
      return typeof value === 'function' ? value.bind(database) : value
    },
  })
  relative.send = async (url, init) =>
    handleApi(new Request(url, init), { ...env, DB: locksFirst }, createExecutionContext())
  const late = await relative.post(`/api/memorials/${memorial.id}/comments`, { body: 'She sang.' })
  expect([late.status, late.body.message]).toEqual([409, messages.memorial.locked])
  const stored = await env.DB.prepare('SELECT count(*) FROM comments WHERE memorial_id = ?')
    .bind(memorial.id)
    .first('count(*)')
  expect(stored).toBe(0)
})
