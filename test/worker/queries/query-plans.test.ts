import { expect, test } from 'vitest'
import type { Media, MediaPage } from '#shared/media/media.ts'
import { HOUR_MS } from '#shared/limits.ts'
import { makeVariants } from '#worker/features/media/pictures.ts'
import { deleteObjects } from '#worker/features/media/media.jobs.ts'
import { sendMail, markMailDead } from '#worker/features/mail/mail.jobs.ts'
import { purgeAccount, purgeMemorial } from '#worker/features/removal/removal.jobs.ts'
import { drainCachePurges } from '#worker/platform/edge-cache.ts'
import { SCHEDULE } from '#worker/schedule.ts'
import { confirmed, newEmail, PASSWORD, registration } from '../accounts.ts'
import { takeErrorLines } from '../runtime/error-lines.ts'
import { fixture } from '../fixtures.ts'
import { Client, invited, inviteTokenOf, memorialOf, signedIn, testCtx } from '../harness.ts'
import { handingOver, keeperIdOf } from '../keepers.ts'
import { mailboxOf, mailWith, tokenIn } from '../mailbox.ts'
import { findCrossings, memorialTables } from './crossing.ts'
import { findScans, recordEveryCall } from './query-plans.ts'
import { confirm, startPayment } from '../stripe.ts'
import { sendInTusChunks } from '../tus.ts'
import { sendProgramme, silence, uploadFixture } from '../uploads.ts'
import { wholeMemorial } from '../whole-memorial.ts'
import { callEverything } from '../access/access-table.ts'
import { expectOpenAccess } from '../access/open-table.ts'

const { recorded, ctxAt } = recordEveryCall()
const key = () => ({ 'Idempotency-Key': crypto.randomUUID() })

test('no call of an account scans a whole table, from registration to deletion', async () => {
  const email = await confirmed()
  const client = new Client()
  await client.post('/api/auth/register', registration(newEmail()))
  await client.post('/api/auth/forgot-password', { email })
  const mail = await mailWith(email, 'Choose a new password')
  await client.post('/api/auth/reset-password', { token: tokenIn(mail), password: `${PASSWORD} 2` })
  await client.post('/api/auth/login', { email, password: `${PASSWORD} 2` })
  await client.post('/api/account/password', { currentPassword: `${PASSWORD} 2`, newPassword: PASSWORD })
  await client.patch('/api/account', { firstName: 'Rudo', lastName: 'Dube' })
  await client.get('/api/account/sessions')
  await client.post('/api/account/sessions/end-others')
  const other = newEmail()
  expect((await client.post('/api/account/email', { email: other, password: PASSWORD })).status).toBe(200)
  const toNew = await mailWith(other, 'Please confirm your new email address')
  const toOld = await mailWith(email, 'Is your email address changing?')
  for (const sent of [toNew, toOld]) await client.post('/api/auth/confirm-email', { token: tokenIn(sent) })
  const undo = await mailWith(email, 'Your email address was changed')
  await client.get('/api/account/export')
  expect((await client.post('/api/auth/undo-email', { token: tokenIn(undo) })).status).toBe(200)
  const reset = await mailWith(email, 'Choose a new password')
  await client.post('/api/auth/reset-password', { token: tokenIn(reset), password: PASSWORD })
  await client.post('/api/auth/login', { email, password: PASSWORD })
  expect((await client.delete('/api/account', { password: PASSWORD })).status).toBe(200)
  expect((await client.post('/api/auth/login', { email, password: PASSWORD })).status).toBe(200)
  expect(await findScans(recorded)).toEqual([])
})

/** Leaves an address, and goes on with a mailed code. */
async function recover(relative: Client, token: string, path: string): Promise<void> {
  const email = newEmail()
  const address = `${path}/contributor-session/address`
  expect((await relative.put(address, { email })).status).toBe(204)
  await relative.post(`/api/invite/${token}/code`, { email })
  const [mail] = await mailboxOf(email, 1)
  const code = /\d{6}/u.exec(mail?.subject ?? '')?.[0]
  expect((await relative.post(`/api/invite/${token}/contributor`, { code })).status).toBe(200)
  expect((await relative.put(address, { email: '' })).status).toBe(204)
}

/** Removes together, lists, and restores; the removal is repeated and deleted for good if `isLast`. */
async function removeTogether(owner: Client, path: string, what: object, isLast: boolean): Promise<void> {
  const removal = async () => (await owner.post(`${path}/removals`, what)).body.removal.id as string
  const first = await removal()
  await owner.get(`${path}/removed?removal=${first}`)
  expect((await owner.post(`${path}/removals/${first}/restore`)).status).toBe(200)
  if (isLast) await owner.delete(`${path}/removals/${await removal()}`)
}

test('no call of a memorial scans a whole table, while it grows and once it is public', async () => {
  const { owner, memorial, path, relative } = await invited()
  await owner.post('/api/memorials', { honoureeFullName: 'Tendai Moyo' }, { headers: key() })
  const send = (name: string) => uploadFixture(relative, memorial.id, name, { headers: key() })
  const photo = await send('photo.png')
  const video = await send('video-2s.mp4')
  await sendInTusChunks(relative, memorial.id, { bytes: silence(9000), type: 'AUDIO' }, [4000])
  await owner.fetch(`/api/media/${video.body.id}/poster`, {
    method: 'PUT',
    body: await fixture('photo.png'),
  })
  await owner.patch<Media>(`/api/media/${photo.body.id}`, { caption: 'Home' })
  await owner.patch(path, { lifeStory: '<p>Born.</p>', profileMediaId: photo.body.id })
  const comment = await relative.post(`${path}/comments`, { body: 'Rest well' }, { headers: key() })
  await owner.post(`/api/comments/${comment.body.comment.id}/like`)
  await recover(relative, await inviteTokenOf(owner, memorial.id), path)
  await owner.post(`${path}/invite-link/rotate`)
  const service = await owner.put(`${path}/funeral`, { dateTime: '2026-06-06T10:00' })
  await sendProgramme(owner, memorial.id)
  await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
  const stranger = new Client()
  const { body } = await stranger.get<MediaPage>(`${path}/media?type=IMAGE`)
  for (const query of ['owner=1', `person=${relative.session.displayName}`])
    expect((await owner.get(`${path}/media?${query}`)).status).toBe(200)
  for (const query of [
    `from=${photo.body.id}`,
    `newer=1.${photo.body.id}`,
    `cursor=9.${photo.body.id}&type=IMAGE`,
  ]) {
    expect((await stranger.get(`${path}/media?${query}`)).status).toBe(200)
  }
  expect(body.media).toHaveLength(1)
  const addresses = [
    `/m/${memorial.slug}`,
    `/m/${memorial.slug}/card.jpg`,
    `/invite/${crypto.randomUUID()}/card.jpg`,
    '/sitemap.xml',
    '/sitemap-0.xml',
  ]
  for (const address of addresses) await (await stranger.fetch(address)).arrayBuffer()
  await stranger.get(`${path}/comments?cursor=9.${comment.body.comment.id}`)
  const reported = `/api/comments/${comment.body.comment.id}`
  expect((await stranger.post(`${reported}/report`, { reason: 'OTHER', words: 'x' })).status).toBe(200)
  expect((await owner.get(`${path}/reports?cursor=a`)).body.comments).toHaveLength(1)
  const itemId = comment.body.comment.id
  expect((await owner.post(`${path}/reports/keep`, { itemId })).status).toBe(204)
  expect((await owner.post(`${reported}/thanks`, { isThanked: true })).status).toBe(200)
  await owner.delete(`/api/comments/${comment.body.comment.id}`)
  await owner.delete(`/api/media/${photo.body.id}`)
  await owner.get(`${path}/removed?cursor=9.${photo.body.id}`)
  const [, former] = (await owner.get(`${path}/contributors`)).body.links
  const since = '2020-01-01T00:00:00Z'
  await removeTogether(owner, path, { since, linkId: former.id }, false)
  const { contributorId } = relative.session
  await owner.get(`${path}/contributors?cursor=9.${contributorId}`)
  await removeTogether(owner, path, { contributorId }, true)
  await owner.post(`/api/comments/${comment.body.comment.id}/restore`)
  await owner.delete(`/api/media/${photo.body.id}?forever=1`)
  await owner.delete(`${path}/funeral-events/${service.body.id}`)
  await owner.delete(path, { confirmName: memorial.honoureeFullName })
  expect((await owner.post(`${path}/restore`)).status).toBe(200)
  expect(await findScans(recorded)).toEqual([])
})

test('no page of the console and no payment scans a whole table', async () => {
  const admin = await signedIn({ admin: true })
  const payer = await signedIn()
  const { paymentId: id, intentId } = await startPayment(payer)
  await confirm(intentId)
  expect((await payer.post(`/api/payments/${id}/sync`)).status).toBe(200)
  expect((await admin.post(`/api/admin/payments/${id}/refund`, { reason: 'Paid twice' })).status).toBe(200)
  const { memorial, owner } = await memorialOf({ privacy: 'LOCKED' })
  for (const list of ['memorials', 'payments']) {
    for (const query of ['', '?page=2', '?search=moyo', '?search=mo', '?search=refund']) {
      expect((await admin.get(`/api/admin/${list}${query}`)).status).toBe(200)
    }
  }
  for (const [list, id2] of [
    ['messages', 'msg_a'],
    ['mails', 'mail_a'],
    ['dead-jobs', 'job_a'],
    ['audit', 'aud_a'],
    ['reports', 'rep_a'],
  ]) {
    expect((await admin.get(`/api/admin/${list}?cursor=9.${id2}`)).status).toBe(200)
  }
  for (const state of ['waiting', 'answered']) {
    expect((await admin.get(`/api/admin/messages?cursor=9.msg_a&state=${state}`)).status).toBe(200)
  }
  expect((await admin.get('/api/admin/overview')).status).toBe(200)
  expect((await admin.get('/api/admin/system')).status).toBe(200)
  await admin.post('/api/admin/dead-jobs/job_a/resend')
  await admin.post('/api/admin/words', { word: 'loan', kind: 'HOLD' })
  await admin.delete('/api/admin/words/loan')
  await admin.post(`/api/admin/memorials/${memorial.id}/remove`)
  await admin.post(`/api/admin/memorials/${memorial.id}/restore`)
  await admin.post(`/api/admin/users/${owner.user.id}/suspend`)
  await admin.post(`/api/admin/users/${owner.user.id}/reinstate`)
  await admin.get(`/api/memorials/${memorial.id}/audit?cursor=9.aud_a`)
  expect(await findScans(recorded)).toEqual([])
})

test('handing a memorial over, and taking it back, scans no whole table', async () => {
  const { owner, keeper, path, offer, handOver, takeBack } = await handingOver()
  await offer()
  await keeper.delete(`${path}/handover`)
  await handOver()
  await keeper.get(`${path}/keepers`)
  expect((await takeBack()).status).toBe(204)
  await keeper.delete(`${path}/keepers/${await keeperIdOf(owner, path.split('/').at(-1) ?? '')}`)
  for (const { user } of [owner, keeper]) await mailboxOf(user.email, 2)
  await owner.get('/api/account/export')
  expect(await findScans(recorded)).toEqual([])
})

test('no cron task and no job scans a whole table', async () => {
  const whole = await wholeMemorial()
  const { body } = await whole.owner.get<MediaPage>(`/api/memorials/${whole.id}/media`)
  const ctx = ctxAt(() => Date.now() + HOUR_MS)
  for (const tasks of Object.values(SCHEDULE)) for (const task of Object.values(tasks)) await task(ctx)
  await makeVariants(ctx, body.media[0]!.id)
  await deleteObjects(ctx, 'm/none')
  await sendMail(ctx, 'mail_none')
  await markMailDead(ctx, 'mail_none')
  await testCtx().db.run('update cache_purges set due_at = 0')
  await drainCachePurges(ctx)
  await purgeMemorial(ctx, whole.id)
  await purgeAccount(ctx, whole.owner.user.id)
  expect(await findScans(recorded)).toEqual([])
  expect(takeErrorLines()).toEqual([])
})

/** Ignore lines about the unavailable payment option and the map sandbox that closed its connection. */
function expectNoOtherLines(): void {
  const lines = takeErrorLines()
  expect(lines.filter((line) => !/paynow_unavailable|upstream_failed/u.test(line))).toEqual([])
}

test('no call about a memorial scans a whole table, for any viewer', async () => {
  await callEverything('INVITE', ['anonymous', 'contributor', 'owner', 'admin'])
  expectNoOtherLines()
  expect(recorded.statements.size).toBeGreaterThan(50)
  expect(await findScans(recorded)).toEqual([])
})

test('no other call scans a whole table, for any viewer', async () => {
  await expectOpenAccess()
  expectNoOtherLines()
  expect(await findScans(recorded)).toEqual([])
})

test('a query names its memorial or a part of it, or is listed as crossing memorials', () => {
  const modules = import.meta.glob<Record<string, unknown>>('../../../src/worker/schema/*.table.ts', {
    eager: true,
  })
  const tables = memorialTables(Object.values(modules))
  expect([...tables]).toEqual(expect.arrayContaining(['memorials', 'media', 'comment_likes', 'audit_log']))
  // All queries of the tests above.
  expect(findCrossings(recorded, tables)).toEqual({ unlisted: [], unused: [] })
})
