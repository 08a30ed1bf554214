import { expect, test } from 'vitest'
import type { CommentPage } from '#shared/comments/comments.ts'
import type { Media, MediaPage } from '#shared/media/media.ts'
import type { Memorial } from '#shared/memorials/memorials.ts'
import { Client, invited, inviteTokenOf, memorialOf, paidCredit, signedIn } from './harness.ts'
import { mailboxOf } from './mailbox.ts'
import { sendFixture, uploadFixture } from './uploads.ts'

const INSTANT = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/u)

/** Viewers who may not edit get a pseudonymous id instead of the owner's. */
const strangersId = expect.stringMatching(/^usr_[a-z0-9]{20}$/u) as string

/** A memorial with a service, a location, a photo and a comment. */
async function wholeMemorial() {
  const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE' })
  const { body: event } = await owner.put(`${path}/funeral`, { dateTime: '2026-06-06T10:00' })
  const { body: location } = await owner.put(`${path}/location`, { latitude: -17.5, longitude: 31 })
  const { media } = (await uploadFixture(owner, memorial.id, 'photo.webp')).body
  const { comment } = (await owner.post(`${path}/comments`, { body: 'Rest well' })).body
  const { body: locked } = await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
  return { owner, memorial: locked, path, event, location, media, comment }
}

/** Without what only editors see. */
function seenByStrangers(memorial: Memorial) {
  const shown = Object.entries(memorial).filter(([name]) => !['tellOwner', 'mayAsk'].includes(name))
  return { ...Object.fromEntries(shown), ownerId: strangersId }
}

test('a memorial is returned with its services, location and the viewer’s permissions', async () => {
  const { owner, memorial, path, event, location } = await wholeMemorial()
  const shared = { memorial, funeralEvent: event, funeralEvents: [event] }
  expect((await owner.get(path)).body).toEqual({
    ...shared,
    location,
    portraitPlaceholder: null,
    viewer: { role: 'OWNER', canContribute: false, canEdit: true },
    news: null,
  })
  expect((await new Client().get(path)).body).toEqual({
    ...shared,
    memorial: seenByStrangers(memorial),
    location: null,
    portraitPlaceholder: null,
    viewer: { role: 'VISITOR', canContribute: false, canEdit: false },
    news: null,
  })
})

test('a memorial by its slug includes the first page of its media and comments', async () => {
  const { memorial, event, media, comment } = await wholeMemorial()
  const { status, body } = await new Client().get(`/api/memorial/${memorial.slug}`)
  expect([status, body]).toEqual([
    200,
    {
      memorial: seenByStrangers(memorial),
      funeralEvent: event,
      funeralEvents: [event],
      location: null,
      portraitPlaceholder: null,
      viewer: { role: 'VISITOR', canContribute: false, canEdit: false },
      news: null,
      media: [
        {
          ...media,
          canDelete: false,
          originalFileName: expect.stringMatching(/^photo-\w{6}\.webp$/u),
        },
      ],
      mediaCursor: null,
      mediaCounts: { IMAGE: 1, VIDEO: 0, AUDIO: 0 },
      comments: [{ ...comment, authorUserId: strangersId, canDelete: false }],
      commentsCursor: null,
    },
  ])
})

test('media and comments are listed in pages, deleted with an empty answer, then gone', async () => {
  const { owner, path, media, comment } = await wholeMemorial()
  const listed = async () => [
    (await owner.get<MediaPage>(`${path}/media`)).body,
    (await owner.get<CommentPage>(`${path}/comments`)).body,
  ]
  const page = (items: Media[]) => ({
    media: items,
    nextCursor: null,
    newerCursor: null,
    newerCount: null,
    counts: { IMAGE: items.length, VIDEO: 0, AUDIO: 0 },
    people: items.map(() => ''),
  })
  expect(await listed()).toEqual([page([media]), { comments: [comment], nextCursor: null }])
  for (const address of [`/api/media/${media.id}`, `/api/comments/${comment.id}`]) {
    const response = await owner.fetch(address, { method: 'DELETE' })
    expect([response.status, await response.text()]).toEqual([204, ''])
  }
  expect(await listed()).toEqual([page([]), { comments: [], nextCursor: null }])
})

test('a change of a memorial returns the whole memorial', async () => {
  const { owner, memorial, path } = await memorialOf()
  const id = await sendFixture(owner, memorial.id, 'photo.webp')
  const change = {
    honoureeFullName: 'Tendai Moyo',
    title: 'She stayed.',
    dateOfBirth: '1948-01-01',
    dateOfBirthPrecision: 'YEAR',
    dateOfDeath: '2026-06-02',
    lifeStory: '<p>She taught.</p>',
    coverMediaId: id,
  }
  const { status, body } = await owner.patch(path, change)
  expect([status, body]).toEqual([200, { ...memorial, ...change, updatedAt: INSTANT }])
  expect((await owner.get(path)).body.memorial).toEqual(body)
})

test('an invitation link, a QR code and a card payment have exactly these fields', async () => {
  const { owner, path } = await memorialOf()
  const draft = await owner.post('/api/memorials', { honoureeFullName: 'Draft' })
  const answers = [
    await owner.get(`${path}/invite-link`),
    await owner.post(`${path}/location/qr`),
    await owner.post('/api/stripe/create-payment-intent', { memorialId: draft.body.id }),
  ]
  expect(answers.map(({ status, body }) => [status, Object.keys(body).toSorted()])).toEqual([
    [200, ['inviteLink']],
    [200, ['sizeMm', 'svg', 'url']],
    [200, ['clientSecret', 'paymentId']],
  ])
})

test('payments are listed with their state and the memorial they paid for, or null', async () => {
  const { owner, memorial } = await memorialOf()
  const creditId = await paidCredit(owner.user.id)
  const { body } = await owner.get('/api/user/payments')
  const payment = {
    id: expect.stringMatching(/^pay_/u),
    status: 'PAID',
    memorialId: memorial.id,
    isCredit: false,
    amount: 6000,
    currency: 'usd',
    provider: 'stripe',
    createdAt: INSTANT,
  }
  expect(body.payments).toHaveLength(2)
  expect(body.payments).toEqual(
    expect.arrayContaining([payment, { ...payment, id: creditId, memorialId: null, isCredit: true }]),
  )
  expect((await (await signedIn()).get('/api/user/payments')).body).toEqual({ payments: [] })
})

test('calls with no data to return answer a message and never a token', async () => {
  const email = 'nobody@answers.test'
  const person = { email, password: 'Mutare in the rain', firstName: 'Rudo', lastName: 'Moyo' }
  const bodies = [
    (await new Client().post('/api/auth/register', person)).body,
    (await new Client().post('/api/auth/forgot-password', { email })).body,
    (await new Client().post('/api/auth/resend-verification', { email })).body,
    (await new Client().post('/api/auth/logout')).body,
    (await new Client().post('/api/contact', { email, subject: 'Plaque', message: 'Good day' })).body,
  ]
  expect(bodies).toEqual([
    { message: 'Registration successful! Please check your email to verify your account before logging in.' },
    {
      message:
        'If an account with that email exists, we have sent a password reset link to your email address.',
    },
    { message: 'If this address is waiting to be confirmed, we have sent a new link.' },
    { message: 'You have been logged out.' },
    { message: "Your message has been sent successfully. We'll get back to you soon." },
  ])
  for (const address of [email, 'support@nhaka.test']) await mailboxOf(address, 1)
})

test('a call for signed-in people asks a stranger to sign in', async () => {
  const { status, body } = await new Client().get('/api/dashboard')
  expect([status, body]).toEqual([401, { message: 'Please sign in first.', code: 'not_signed_in' }])
})

test('a contributor never learns the owner’s address or the invite token', async () => {
  const { owner, memorial, relative } = await invited()
  const token = await inviteTokenOf(owner, memorial.id)
  for (const path of [`/api/memorials/${memorial.id}`, `/api/memorial/${memorial.slug}`]) {
    const text = JSON.stringify((await relative.get(path)).body)
    expect(text).toContain(memorial.honoureeFullName)
    expect(text).not.toContain(owner.user.email)
    expect(text).not.toContain(token)
  }
})
