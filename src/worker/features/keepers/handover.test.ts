import { expect, test } from 'vitest'
import type { CommentPage } from '#shared/comments/comments.ts'
import { handoverRefusals } from '#shared/keepers/handover-refusals.ts'
import { DAY_MS, HANDOVER_EXPIRES_MS, TAKE_BACK_MS } from '#shared/limits.ts'
import { deleteOldRecords } from '#worker/features/removal/retention.jobs.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { handovers, keepers } from '#worker/schema/keepers.table.ts'
import { media, resumableUploads } from '#worker/schema/media.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { payments } from '#worker/schema/payments.table.ts'
import { removedItems } from '#worker/schema/removed.table.ts'
import { PASSWORD } from '../../../../test/worker/accounts.ts'
import { Client, contributorOf, signedIn, testCtx, type SignedIn } from '../../../../test/worker/harness.ts'
import {
  acceptKeeping,
  handingOver,
  keeperIdOf,
  keeperOf,
  keeperToken,
  withPassword,
} from '../../../../test/worker/keepers.ts'
import { mailboxOf } from '../../../../test/worker/mailbox.ts'
import { confirmedAgo } from '../../../../test/worker/passkeys.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import { draftOf } from '../../../../test/worker/stripe.ts'
import { begunUpload, sendTusChunk } from '../../../../test/worker/tus.ts'
import { sendFixture, silence } from '../../../../test/worker/uploads.ts'

const nameOf = ({ user }: SignedIn) => `${user.firstName} ${user.lastName}`

async function roleIn(client: Client, path: string): Promise<unknown> {
  const { body } = await client.get(path)
  return body.viewer?.role ?? body.code
}

test(
  'a keeper accepts, owns the memorial, and the former owner takes it back',
  { tags: ['only-claimants-leave'] },
  async () => {
    const { owner, keeper, memorial, path, offer, accept, takeBack } = await handingOver()
    const list = async (client: Client) => (await client.get(`${path}/keepers`)).body.handover
    expect((await offer()).status).toBe(204)
    const offered = { state: 'OFFERED', name: nameOf(keeper), isYou: false }
    expect(await list(owner)).toEqual({ ...offered, until: expect.stringMatching(/Z$/u) })
    expect(await list(keeper)).toMatchObject({ ...offered, isYou: true })
    const [asked] = await mailboxOf(keeper.user.email, 1)
    expect([asked?.subject, asked?.text]).toEqual([
      'Will you take over a memorial?',
      expect.stringContaining(`/login?next=${encodeURIComponent(`/memorial/${memorial.id}`)}`),
    ])

    expect((await accept()).status).toBe(204)
    expect([await roleIn(owner, path), await roleIn(keeper, path)]).toEqual(['KEEPER', 'OWNER'])
    const taken = { state: 'TAKEN_OVER', name: nameOf(owner), isYou: false }
    expect(await list(keeper)).toMatchObject(taken)
    const until = (await list(owner)).until
    expect(Math.round((Date.parse(until) - Date.now()) / DAY_MS)).toBe(TAKE_BACK_MS / DAY_MS)
    expect((await keeper.get('/api/dashboard')).body).toMatchObject({
      memorials: [{ id: memorial.id }],
    })
    expect((await owner.get('/api/dashboard')).body).toMatchObject({
      memorials: [],
      kept: [{ id: memorial.id }],
    })
    const [told] = await mailboxOf(owner.user.email, 1)
    expect([told?.subject, told?.text]).toEqual([
      'You’ve handed over a memorial',
      expect.stringMatching(/You can take it back until .* press “Take it back”/u),
    ])
    expect((await mailboxOf(keeper.user.email, 2))[0]?.subject).toBe('The memorial is yours now')

    expect((await takeBack()).status).toBe(204)
    expect([await roleIn(owner, path), await roleIn(keeper, path)]).toEqual(['OWNER', 'KEEPER'])
    expect(await list(owner)).toBe(null)
    expect(await rowsOf(keepers, { memorialId: memorial.id })).toMatchObject([
      { userId: keeper.user.id, role: 'KEEPER', mayExport: true },
    ])
    for (const [{ user }, count] of [
      [owner, 2],
      [keeper, 3],
    ] as const)
      expect((await mailboxOf(user.email, count))[0]?.subject).toBe('A memorial was taken back')
    expect((await takeBack()).body.message).toBe(handoverRefusals.takeBackOver)
    const { body } = await owner.get(`${path}/family-actions`)
    const did = body.entries.map(({ name, action }: { name: string; action: string }) => `${name}: ${action}`)
    expect(did).toEqual(
      expect.arrayContaining([
        `${nameOf(owner)}: offer_handover`,
        `${nameOf(keeper)}: accept_handover`,
        `${nameOf(owner)}: take_back_handover`,
      ]),
    )
  },
)

test('what each added stays theirs, and is as it was once the memorial is taken back', async () => {
  const { owner, keeper, memorial, path, takeBack, handOver } = await handingOver()
  for (const [person, words] of [
    [owner, 'Mother'],
    [keeper, 'Aunt'],
  ] as const) {
    await person.post(`${path}/comments`, { body: words })
    const gone = (await person.post(`${path}/comments`, { body: `${words}, removed` })).body.comment
    await person.delete(`/api/comments/${gone.id}`)
    await sendFixture(person, memorial.id, 'photo.png')
    const photo = await sendFixture(person, memorial.id, 'photo-gps.jpg')
    await person.delete(`/api/media/${photo}`)
    await person.post(`${path}/seen`)
  }
  const memorialId = memorial.id
  const authors = async () => ({
    comments: (await rowsOf(comments, { memorialId })).map((row) => [
      row.authorUserId,
      row.authorContributorId,
    ]),
    media: (await rowsOf(media, { memorialId })).map(({ contributorId }) => contributorId),
    removed: (await rowsOf(removedItems, { memorialId })).map(({ contributorId, item }) => [
      contributorId,
      item.contributorId ?? null,
      item.authorUserId ?? null,
      item.authorContributorId ?? null,
    ]),
    seenAt: (await rowsOf(memorials, { id: memorialId }))[0]?.seenAt,
  })
  const before = await authors()
  await handOver()
  const shown = (await new Client().get(`/api/memorials/${memorialId}`)).status
  expect(shown).toBe(403)
  const written = (await keeper.get(`${path}/comments`)).body.comments
  expect(
    written.map(({ authorName, isOwner }: { authorName: string; isOwner: boolean }) => [authorName, isOwner]),
  ).toEqual([
    [nameOf(keeper), true],
    [nameOf(owner), false],
  ])
  const [kept] = await rowsOf(keepers, { memorialId })
  const theirs = kept?.contributorId
  expect(await authors()).toEqual({
    comments: [
      [null, theirs],
      [keeper.user.id, null],
    ],
    media: [theirs, null],
    removed: expect.arrayContaining([
      [theirs, null, null, theirs],
      [theirs, theirs, null, null],
      [null, null, keeper.user.id, null],
      [null, null, null, null],
    ]),
    seenAt: expect.any(Number),
  })
  const { comments: removedWords, media: removedFiles } = (await owner.get(`${path}/removed`)).body
  for (const { id } of removedWords)
    expect((await owner.post(`/api/comments/${id}/restore`)).status).toBe(200)
  for (const { id } of removedFiles) expect((await owner.post(`/api/media/${id}/restore`)).status).toBe(200)
  for (const { id } of removedWords) await owner.delete(`/api/comments/${id}`)
  for (const { id } of removedFiles) await owner.delete(`/api/media/${id}`)
  await takeBack()
  const after = await authors()
  const [again] = await rowsOf(keepers, { memorialId })
  const renamed = JSON.parse(JSON.stringify(after).replaceAll(again?.contributorId ?? '', 'con_keeper'))
  const asBefore = JSON.stringify(before).replaceAll(
    before.media.find((id) => id !== null) ?? '',
    'con_keeper',
  )
  const { removed, ...others } = JSON.parse(asBefore)
  expect(renamed).toEqual({ ...others, removed: expect.arrayContaining(removed) })
})

test(
  'whoever takes it back sees their own things, also if they were blocked meanwhile',
  { tags: ['owner-sees-own-media', 'owner-sees-own-words'] },
  async () => {
    const { owner, memorial, path, takeBack, handOver } = await handingOver()
    const memorialId = memorial.id
    const relative = await contributorOf(owner, memorialId)
    for (const body of ['Shown', 'Unread', 'Later']) await owner.post(`${path}/comments`, { body })
    const photo = await sendFixture(owner, memorialId, 'photo.png')
    const hers = (await relative.post(`${path}/comments`, { body: 'Blocked, too' })).body.comment
    await handOver()
    const [{ contributorId } = { contributorId: '' }] = await rowsOf(keepers, { userId: owner.user.id })
    // A version before refused no such block.
    const blockedAt = Date.now() + 1
    await changeRows(contributors, { memorialId }, { blockedAt })
    await changeRows(comments, { memorialId }, { isHeld: true, heldAs: 'BLOCKED' })
    await changeRows(comments, { body: 'Unread', memorialId }, { heldAs: 'BLOCKED_UNREAD' })
    await changeRows(comments, { body: 'Later', memorialId }, { isHeld: false, createdAt: blockedAt })
    await changeRows(media, { contributorId }, { isHeld: true, heldAs: 'BLOCKED' })
    expect((await takeBack()).status).toBe(204)
    const statesOf = async (table: typeof comments | typeof media) =>
      (await rowsOf(table, { memorialId })).map(({ id, isHeld, heldAs }) => ({ id, isHeld, heldAs }))
    expect(await statesOf(media)).toEqual([{ id: photo, isHeld: false, heldAs: 'WAITING' }])
    expect(await statesOf(comments)).toContainEqual({ id: hers.id, isHeld: true, heldAs: 'BLOCKED' })
    const seenBy = async (client: Client) =>
      (await client.get<CommentPage>(`${path}/comments`)).body.comments.map(({ body }) => body).toSorted()
    expect(await seenBy(owner)).toEqual(['Later', 'Shown', 'Unread'])
    expect(await seenBy(await contributorOf(owner, memorialId))).toEqual(['Later', 'Shown'])
    expect((await owner.get(`${path}/media`)).body.media).toMatchObject([{ id: photo }])
  },
)

test('what the owner is sending while it is handed over arrives under their name', async () => {
  const { owner, memorial, handOver } = await handingOver()
  const bytes = silence(9000)
  const at = await begunUpload(owner, memorial.id, bytes, 'AUDIO')
  await sendTusChunk(owner, at, 0, bytes.slice(0, 4000))
  await handOver()
  expect((await sendTusChunk(owner, at, 4000, bytes.slice(4000))).status).toBeLessThan(300)
  const [kept] = await rowsOf(keepers, { memorialId: memorial.id })
  expect(await rowsOf(media, { memorialId: memorial.id })).toMatchObject([
    { contributorId: kept?.contributorId },
  ])
  expect(await rowsOf(resumableUploads, { memorialId: memorial.id })).toHaveLength(1)
})

test('an offer needs a proof of who it is, a keeper, and a memorial that is paid for', async () => {
  const { owner, keeper, memorial, path, offer } = await handingOver()
  const keeperId = await keeperIdOf(owner, memorial.id)
  const helper = await keeperOf(owner, memorial.id, 'HELPER')
  const helperId = await keeperIdOf(owner, memorial.id, helper.user.email)
  const draft = await draftOf(owner)
  const unproved = await owner.post(`${path}/handover`, { keeperId })
  expect([unproved.status, unproved.body.code]).toEqual([403, 'confirmation_needed'])
  await confirmedAgo(owner)
  for (const [client, of, body, status] of [
    [owner, memorial.id, { keeperId: 'con_none' }, 404],
    [owner, memorial.id, { keeperId: helperId }, 409],
    [owner, draft, { keeperId }, 402],
    [keeper, memorial.id, { keeperId }, 403],
  ] as const) {
    const answer = await client.post(`/api/memorials/${of}/handover`, body)
    expect([answer.status, answer.body.code]).toEqual([status, expect.any(String)])
  }
  expect((await offer()).status).toBe(204)
  const second = await offer()
  expect([second.status, second.body.message]).toEqual([409, handoverRefusals.offeredAlready])
  expect(await rowsOf(handovers, { memorialId: memorial.id })).toHaveLength(1)
  expect((await helper.get(`${path}/keepers`)).body.handover).toMatchObject({
    state: 'OFFERED',
    isYou: false,
  })
})

test(
  'an offer ends: declined, withdrawn, too old, or to who is no keeper any more',
  { tags: ['offer-ends', 'declines-own-offer', 'accepts-own-offer', 'only-keepers-take-over'] },
  async () => {
    const { owner, keeper, memorial, path, offer, accept } = await handingOver()
    const other = await keeperOf(owner, memorial.id, 'KEEPER')
    const keeperId = await keeperIdOf(owner, memorial.id)
    const ended = async () => {
      expect((await accept()).status).toBe(404)
      expect((await owner.get(`${path}/keepers`)).body.handover).toBe(null)
    }
    await offer()
    expect((await accept(other)).status).toBe(404)
    expect((await other.delete(`${path}/handover`)).status).toBe(404)
    expect((await keeper.delete(`${path}/handover`)).status).toBe(204)
    await ended()
    await offer()
    expect((await owner.delete(`${path}/handover`)).status).toBe(204)
    await ended()
    await offer()
    await changeRows(handovers, { memorialId: memorial.id }, { expiresAt: Date.now() - 1 })
    await ended()
    await offer()
    await owner.put(`${path}/keepers/${keeperId}`, { role: 'HELPER' })
    await ended()
    await owner.put(`${path}/keepers/${keeperId}`, { role: 'KEEPER' })
    await ended()
    await offer()
    await changeRows(keepers, { contributorId: keeperId }, { role: 'HELPER' })
    expect((await accept()).status).toBe(404)
    await changeRows(keepers, { contributorId: keeperId }, { role: 'KEEPER' })
    await owner.delete(`${path}/handover`)
    await offer()
    await owner.delete(`${path}/keepers/${keeperId}`)
    await acceptKeeping(keeper, await keeperToken(owner, memorial.id, { role: 'KEEPER' }))
    await ended()
    expect(await rowsOf(handovers, { memorialId: memorial.id })).toEqual([])
  },
)

test('old offers are deleted; what was handed over stays known', async () => {
  const { memorial, offer, accept } = await handingOver()
  await offer()
  await changeRows(
    handovers,
    { memorialId: memorial.id },
    { expiresAt: Date.now() - 1, createdAt: Date.now() - HANDOVER_EXPIRES_MS },
  )
  await deleteOldRecords(testCtx())
  expect(await rowsOf(handovers, { memorialId: memorial.id })).toEqual([])
  await offer()
  await accept()
  await changeRows(handovers, { memorialId: memorial.id }, { expiresAt: 0 })
  await deleteOldRecords(testCtx())
  expect(await rowsOf(handovers, { memorialId: memorial.id })).toHaveLength(1)
})

test(
  'while it can be taken back, the new owner destroys nothing',
  {
    tags: [
      'new-owner-destroys-nothing',
      'former-owner-stays',
      'no-second-handover',
      'account-keeps-what-can-be-taken-back',
      'former-owner-takes-back',
      'take-back-in-time',
    ],
  },
  async () => {
    const { owner, keeper, memorial, path, offer, takeBack, handOver } = await handingOver()
    const relative = await contributorOf(owner, memorial.id)
    const { id } = (await relative.post(`${path}/comments`, { body: 'Mine' })).body.comment
    await handOver()
    const formerId = await keeperIdOf(keeper, memorial.id)
    const attempts = () =>
      Promise.all([
        keeper.delete(path, { confirmName: 'Sekai Ndlovu' }),
        keeper.delete(`/api/comments/${id}?forever=1`),
        keeper.delete(`${path}/keepers/${formerId}`),
        offer(keeper),
        keeper.delete('/api/account', { password: PASSWORD }),
      ])
    const { notYet, staysUntil, justTakenOver, accountLater } = handoverRefusals
    expect((await attempts()).map(({ status, body }) => [status, body.message])).toEqual(
      [notYet, notYet, staysUntil, justTakenOver, accountLater].map((message) => [409, message]),
    )
    expect((await takeBack(keeper)).status).toBe(404)
    expect((await takeBack(await signedIn())).status).toBe(403)
    const takeBackUntil = Date.now() - 1
    await changeRows(handovers, { memorialId: memorial.id }, { takeBackUntil })
    await changeRows(memorials, { id: memorial.id }, { takeBackUntil: takeBackUntil - 1000 })
    expect((await takeBack()).body.message).toBe(handoverRefusals.takeBackOver)
    expect((await keeper.delete(`/api/comments/${id}?forever=1`)).status).toBe(204)
    expect((await keeper.delete(`${path}/keepers/${formerId}`)).status).toBe(204)
    expect((await keeper.delete(path, { confirmName: 'Sekai Ndlovu' })).status).toBe(200)
    expect((await keeper.delete('/api/account', { password: PASSWORD })).status).toBe(200)
  },
)

test('a former owner who leaves gives up taking it back', async () => {
  const { owner, keeper, memorial, path, takeBack, handOver } = await handingOver()
  await handOver()
  const id = await keeperIdOf(keeper, memorial.id)
  expect((await owner.delete(`${path}/keepers/${id}`)).status).toBe(204)
  expect((await takeBack()).status).toBe(403)
  expect((await keeper.delete(path, { confirmName: 'Sekai Ndlovu' })).status).toBe(200)
})

test('who has paid stays the one who has paid', async () => {
  const { owner, keeper, memorial, handOver } = await handingOver()
  await handOver()
  expect(await rowsOf(payments, { memorialId: memorial.id })).toMatchObject([{ userId: owner.user.id }])
  expect((await keeper.get('/api/user/payments')).body).toEqual({ payments: [] })
  expect((await owner.get('/api/user/payments')).body.payments).toMatchObject([{ memorialId: memorial.id }])
  const exported = async (client: Client) => (await client.get('/api/account/export')).body
  const handedOver = [
    {
      honoureeFullName: 'Sekai Ndlovu',
      from: nameOf(owner),
      to: nameOf(keeper),
      at: expect.any(String),
      takenBackAt: null,
    },
  ]
  expect(await exported(keeper)).toMatchObject({ payments: [], handedOver })
  expect(await exported(owner)).toMatchObject({ memorials: [], handedOver })
})

test('a third person takes it over once it can’t be taken back any more', async () => {
  const { owner, keeper, memorial, path, takeBack, handOver } = await handingOver()
  await handOver()
  await changeRows(handovers, { memorialId: memorial.id }, { takeBackUntil: 1 })
  await changeRows(memorials, { id: memorial.id }, { takeBackUntil: 1 })
  const third = await withPassword(await keeperOf(keeper, memorial.id, 'KEEPER'))
  const keeperId = await keeperIdOf(keeper, memorial.id, third.user.email)
  await confirmedAgo(keeper)
  expect((await keeper.post(`${path}/handover`, { keeperId })).status).toBe(204)
  expect((await third.post(`${path}/handover/accept`)).status).toBe(204)
  expect((await takeBack()).status).toBe(404)
  expect(await roleIn(owner, path)).toBe('KEEPER')
  expect(await roleIn(keeper, path)).toBe('KEEPER')
  expect((await takeBack(keeper)).status).toBe(204)
  expect(await roleIn(keeper, path)).toBe('OWNER')
})
