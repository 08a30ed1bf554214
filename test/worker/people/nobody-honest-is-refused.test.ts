import { expect, test } from 'vitest'
import { RATE_LIMITS } from '#shared/limits.ts'
import { fixture } from '../fixtures.ts'
import { Client, invited, inviteTokenOf, joinedBy, memorialOf } from '../harness.ts'
import { inTurn, tenAtOnce } from '../repeat.ts'
import { begunUpload, headOf, sendTusChunk } from '../tus.ts'
import { exhaustRateLimit, mediaRowsOf, silence, slowUpload, upload, uploadFixture } from '../uploads.ts'

/*
 * Limits are for those who do harm. Each journey here is one of a grieving person that comes close to a limit, and every call of it
 * succeeds.
 */

const MOBILE_NETWORK = '196.4.80.7'

test('60 relatives behind one address join by one link, ten at the same time', async () => {
  const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE' })
  const token = await inviteTokenOf(owner, memorial.id)
  const relatives = await tenAtOnce(Array(60).fill(token), async (_, n) => {
    const phone = Object.assign(new Client(), { ip: MOBILE_NETWORK })
    expect((await phone.get(`/api/invite/${token}`)).status).toBe(200)
    return joinedBy(token, `Relative ${n}`, MOBILE_NETWORK)
  })
  const seen = await tenAtOnce(relatives, (relative) => relative.get(`${path}?invite=${token}`))
  expect(seen.map(({ status }) => status)).toEqual(Array(60).fill(200))
  const body = { body: 'Rest well' }
  const written = await tenAtOnce(relatives, (relative) => relative.post(`${path}/comments`, body))
  expect(written.map(({ status }) => status)).toEqual(Array(60).fill(201))
  // All of them have begun to send before the first arrives.
  const voice = silence(9000)
  const paths = await tenAtOnce(relatives, (relative) => begunUpload(relative, memorial.id, voice, 'AUDIO'))
  expect(paths.filter((begun) => begun.startsWith(path))).toHaveLength(60)
  expect((await sendTusChunk(relatives[59]!, paths[59]!, 0, voice)).status).toBe(204)
})

test('a relative on a bus loses the line ten times, and the video arrives whole', async () => {
  const { memorial, relative } = await invited()
  const bytes = silence(3_000_000)
  const headers = { 'Idempotency-Key': crypto.randomUUID() }
  let offset = 0
  for (let lost = 0; lost < 10; lost++) {
    // The phone doesn't know what arrived: it begins again with its key, or asks.
    const path = await begunUpload(relative, memorial.id, bytes, 'AUDIO', headers)
    offset = Number((await headOf(relative, path)).headers.get('Upload-Offset'))
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const writer = writable.getWriter()
    const sent = sendTusChunk(relative, path, offset, readable)
    await writer.write(bytes.subarray(offset, offset + 100_000))
    await writer.abort(new Error('the line broke')).catch(() => null)
    await sent.catch(() => null)
  }
  const path = await begunUpload(relative, memorial.id, bytes, 'AUDIO', headers)
  offset = Number((await headOf(relative, path)).headers.get('Upload-Offset'))
  expect(offset).toBe(1_000_000)
  expect((await sendTusChunk(relative, path, offset, bytes.slice(offset))).status).toBe(204)
  expect(await mediaRowsOf(memorial.id)).toMatchObject([{ size: bytes.byteLength }])
})

test('a photo that broke off ten times counts as one toward the files of an hour', async () => {
  const { memorial, relative } = await invited()
  await exhaustRateLimit('uploads', relative.session.contributorId, RATE_LIMITS.uploads.limit - 1)
  const file = { bytes: await fixture('photo-gps.jpg'), name: 'a.jpg', type: 'IMAGE' }
  const headers = { 'Idempotency-Key': crypto.randomUUID() }
  const broken = await inTurn(10, async () => {
    const slow = slowUpload(relative, memorial.id, { ...file, headers }, 5000)
    await slow.started
    return (await slow.breakOff()).status
  })
  expect(broken).toEqual(Array(10).fill(400))
  expect((await upload(relative, memorial.id, { ...file, headers })).status).toBe(201)
  expect((await uploadFixture(relative, memorial.id, 'photo.png')).status).toBe(429)
})

test('the owner thanks thirty relatives within a minute', async () => {
  const { owner, path } = await memorialOf({ privacy: 'INVITE' })
  const answers = await inTurn(30, (n) => owner.post(`${path}/comments`, { body: `Thank you, ${n}` }))
  expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(201))
})
