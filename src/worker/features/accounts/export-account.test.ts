import { expect, test } from 'vitest'
import { EXPORT_PAGE } from '#shared/limits.ts'
import type { MediaUploaded } from '#shared/media/media.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { newId } from '#worker/platform/random.ts'
import { payments } from '#worker/schema/payments.table.ts'
import {
  Client,
  inviteTokenOf,
  memorialOf,
  ORIGIN,
  signedIn,
  testCtx,
} from '../../../../test/worker/harness.ts'
import { acceptKeeping, keeperOf, keeperToken } from '../../../../test/worker/keepers.ts'
import { changeRows } from '../../../../test/worker/rows.ts'
import { silence, upload } from '../../../../test/worker/uploads.ts'
import { inTurn } from '../../../../test/worker/repeat.ts'

const INSTANT = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/u)

test('the export has all data of the owner, and others only as the page shows them', async () => {
  const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE', name: 'Tendai Moyo' })
  const { body: service } = await owner.put(`${path}/funeral`, { dateTime: '2026-06-06T10:00' })
  await owner.put(`${path}/location`, { latitude: -17.5, longitude: 31, label: 'Warren Hills' })
  const token = await inviteTokenOf(owner, memorial.id)
  const relative = new Client()
  await relative.post(`/api/invite/${token}/session`, {
    displayName: 'Farai Chikomo',
    email: 'farai@relative.test',
  })
  const recording = { bytes: silence(9000), name: 'voice.wav', type: 'AUDIO' }
  const { body: mediaItem } = await upload<MediaUploaded>(relative, memorial.id, recording)
  const { comment } = (await owner.post(`${path}/comments`, { body: 'Rest well' })).body
  const removed = await memorialOf({ owner, name: 'Removed' })
  const admin = await signedIn({ admin: true })
  await owner.patch(removed.path, { title: 'Hidden words' })
  await admin.post(`/api/admin/memorials/${removed.memorial.id}/remove`, { reason: 'Not a person.' })
  await memorialOf({ name: 'Of Somebody Else' })
  await keeperOf(owner, memorial.id, 'HELPER')
  await owner.post(`${path}/successors`, { name: 'Chipo Dube', email: 'chipo@relative.test' })
  const other = await memorialOf({ name: 'Looked After' })
  await acceptKeeping(owner, await keeperToken(other.owner, other.memorial.id, { role: 'KEEPER' }))

  await changeRows(payments, { userId: owner.user.id }, { refundNote: 'You paid twice.' })

  const response = await owner.fetch('/api/account/export')
  expect([response.status, response.headers.get('Cache-Control')]).toEqual([200, 'private, no-store'])
  expect(response.headers.get('Content-Type')).toBe('application/json; charset=utf-8')
  expect(response.headers.get('Content-Disposition')).toMatch(
    /^attachment; filename="my-account-\d{4}-\d{2}-\d{2}\.json"/u,
  )
  const text = await response.text()
  for (const secret of [
    'farai@relative.test',
    'chipo@relative.test',
    'Hidden words',
    'Of Somebody Else',
    'passwordHash',
  ]) {
    expect(text).not.toContain(secret)
  }
  const paid = (await owner.get('/api/user/payments')).body.payments
  expect(JSON.parse(text)).toEqual({
    exportedAt: INSTANT,
    account: {
      id: owner.user.id,
      email: owner.user.email,
      firstName: 'Rudo',
      lastName: 'Moyo',
      createdAt: INSTANT,
      emailConfirmedAt: INSTANT,
    },
    earlierEmails: [],
    consent: {
      terms: `${ORIGIN}/terms`,
      termsVersion: '2025-09-29',
      acceptedAt: INSTANT,
      statedAge: '18 or older',
    },
    signedInOn: [{ device: null, country: null, signedInAt: INSTANT, lastUsed: 'DAY' }],
    passkeys: [],
    printedCodes: { madeAt: null, left: 0 },
    authenticatorAddedAt: null,
    payments: paid.map((payment: object) => Object.assign(payment, { refundNote: 'You paid twice.' })),
    looksAfter: [{ honoureeFullName: 'Looked After', role: 'KEEPER', since: INSTANT }],
    handedOver: [],
    memorials: [
      {
        id: memorial.id,
        status: 'ACTIVE',
        honoureeFullName: 'Tendai Moyo',
        createdAt: INSTANT,
        updatedAt: INSTANT,
        deletedAt: null,
        title: null,
        dateOfBirth: null,
        dateOfBirthPrecision: 'DAY',
        dateOfDeath: null,
        dateOfDeathPrecision: 'DAY',
        lifeStory: null,
        privacy: 'INVITE',
        publicSince: null,
        lastOpenedAt: null,
        showLocation: false,
        allowSearchEngines: false,
        showInvitePreview: false,
        holdNew: false,
        visitorMessages: 'NOBODY',
        tellOwner: 'AT_ONCE',
        lastToldAt: null,
        publicLink: `${ORIGIN}/m/${memorial.slug}`,
        inviteLink: `${ORIGIN}/invite/${token}`,
        moreInviteLinks: [],
        mayAsk: 'INVITE_ONLY',
        askedToBeLetIn: [],
        location: { label: 'Warren Hills', latitude: -17.5, longitude: 31 },
        lookedAfterBy: [{ name: 'Rudo Moyo', role: 'HELPER', since: INSTANT }],
        mayBeAskedForBy: [{ name: 'Chipo Dube', since: INSTANT }],
        services: [Object.assign(service, { replies: [] })],
        media: [
          {
            id: mediaItem.id,
            type: 'AUDIO',
            fileName: 'voice.wav',
            size: 9000,
            caption: null,
            alternativeText: null,
            addedBy: 'Farai Chikomo',
            createdAt: INSTANT,
            link: `${ORIGIN}/media/stream/${mediaItem.id}?original=1`,
          },
        ],
        messages: [
          {
            id: comment.id,
            body: 'Rest well',
            writtenBy: null,
            relation: null,
            isYours: true,
            createdAt: INSTANT,
          },
        ],
      },
      {
        id: removed.memorial.id,
        status: 'REMOVED',
        honoureeFullName: 'Removed',
        createdAt: INSTANT,
        removalNote: 'Not a person.',
      },
    ],
  })
  expect((await owner.fetch(`/media/stream/${mediaItem.id}?original=1`, { method: 'HEAD' })).status).toBe(200)
})

test('every comment is in the export exactly once, across page boundaries', async () => {
  const { owner, memorial } = await memorialOf()
  const { db } = testCtx()
  const count = EXPORT_PAGE * 2
  const rows = Array.from({ length: count }, (_, index) => ({
    id: newId('comment'),
    memorialId: memorial.id,
    body: `${index}`,
    authorUserId: owner.user.id,
    createdAt: Math.floor(index / 3),
  }))
  for (let start = 0; start < count; start += 10)
    await db.insert(comments).values(rows.slice(start, start + 10))
  const { body } = await owner.get('/api/account/export')
  const bodies = body.memorials[0].messages.map((message: { body: string }) => Number(message.body))
  expect(bodies.toSorted((a: number, b: number) => a - b)).toEqual(rows.map((_, index) => index))
})

test('the export needs a session and allows five downloads an hour', async () => {
  expect((await new Client().get('/api/account/export')).status).toBe(401)
  const owner = await signedIn()
  const statuses = await inTurn(6, async () => (await owner.get('/api/account/export')).status)
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
})
