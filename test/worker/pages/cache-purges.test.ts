import { eq } from 'drizzle-orm'
import { beforeEach, expect, test } from 'vitest'
import { api } from '#shared/api.ts'
import type { Privacy } from '#shared/memorials/memorials.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { hashPassword } from '#worker/features/accounts/passwords.ts'
import { purgeAccount } from '#worker/features/removal/removal.jobs.ts'
import { cachePurges } from '#worker/schema/jobs.table.ts'
import { PASSWORD } from '../accounts.ts'
import { fixture } from '../fixtures.ts'
import {
  contributorOf,
  dropQueueMessages,
  memorialOf,
  type Client,
  signedIn,
  testCtx,
  type SignedIn,
} from '../harness.ts'
import { keeperIdOf, keeperOf } from '../keepers.ts'
import { confirmedAgo } from '../passkeys.ts'
import { sendFixture, sendProgramme } from '../uploads.ts'

beforeEach(dropQueueMessages)

type CallName = keyof typeof api
type Stage = Awaited<ReturnType<typeof stageOf>>
type Action = {
  call: CallName
  how?: string
  /** The old page may show what a visitor may no longer see; otherwise it is merely out of date. */
  urgent: boolean
  by?: (stage: Stage) => Client
  path?: (stage: Stage) => string
  body?: (stage: Stage) => unknown
  file?: () => Promise<Uint8Array<ArrayBuffer>>
  form?: true
}

const service = (dateTime: string) => ({ dateTime, title: 'Church' })

/** Every call that changes what a stranger sees of a public memorial, each after the calls that it depends on. */
const ACTIONS: Action[] = [
  { call: 'updateMemorial', how: 'name', urgent: false, body: () => ({ honoureeFullName: 'Tendai Moyo' }) },
  { call: 'updateMemorial', how: 'life story', urgent: false, body: () => ({ lifeStory: '<p>Born.</p>' }) },
  { call: 'updateMemorial', how: 'portrait', urgent: false, body: (at) => ({ profileMediaId: at.photo }) },
  { call: 'updateMemorial', how: 'cover', urgent: false, body: (at) => ({ coverMediaId: at.photo }) },
  {
    call: 'updateMemorial',
    how: 'search engines',
    urgent: false,
    body: () => ({ allowSearchEngines: true }),
  },
  { call: 'updateMemorial', how: 'location shown', urgent: false, body: () => ({ showLocation: true }) },
  { call: 'saveLocation', urgent: false, body: () => ({ latitude: -17.9, longitude: 31 }) },
  { call: 'updateMemorial', how: 'location hidden', urgent: true, body: () => ({ showLocation: false }) },
  { call: 'saveFuneral', urgent: false, body: () => service('2026-06-06T10:00') },
  { call: 'addFuneralEvent', urgent: false, body: () => service('2026-06-07T10:00') },
  { call: 'updateFuneralEvent', urgent: false, body: () => ({ title: 'Burial' }) },
  { call: 'uploadProgramme', urgent: false, form: true },
  { call: 'deleteFuneralEvent', urgent: true },
  {
    call: 'updateMedia',
    urgent: false,
    path: (at) => `/api/media/${at.photo}`,
    body: () => ({ alt: 'Smiling' }),
  },
  {
    call: 'uploadPoster',
    urgent: false,
    path: (at) => `/api/media/${at.video}/poster`,
    file: () => fixture('photo.png'),
  },
  { call: 'deleteMedia', urgent: true, path: (at) => `/api/media/${at.photo}` },
  { call: 'restoreMedia', urgent: false, path: (at) => `/api/media/${at.photo}/restore` },
  { call: 'likeComment', urgent: false },
  { call: 'unlikeComment', urgent: false },
  {
    call: 'thankComment',
    urgent: false,
    path: (at) => `/api/comments/${at.theirs}/thanks`,
    body: () => ({ isThanked: true }),
  },
  { call: 'updateAccount', urgent: false, body: () => ({ firstName: 'Rudo', lastName: 'Dube' }) },
  { call: 'deleteComment', urgent: true },
  {
    call: 'deleteComment',
    how: 'by an admin',
    urgent: true,
    by: (at) => at.admin,
    path: (at) => `/api/comments/${at.second}`,
  },
  { call: 'restoreComment', urgent: false },
  { call: 'blockContributor', urgent: true },
  { call: 'unblockContributor', urgent: false },
  {
    call: 'removeAdded',
    urgent: true,
    body: (at) => ({ contributorId: at.contributorId }),
  },
  { call: 'restoreAdded', urgent: false },
  // Whose words are the family's.
  { call: 'acceptHandover', urgent: false, by: (at) => at.keeper },
  { call: 'takeBackHandover', urgent: false },
  { call: 'adminRemoveMemorial', urgent: true, by: (at) => at.admin },
  { call: 'adminRestoreMemorial', urgent: false, by: (at) => at.admin },
  { call: 'deleteMemorial', urgent: true, body: () => ({ confirmName: 'Tendai Moyo' }) },
  { call: 'restoreMemorial', urgent: false },
  {
    call: 'deleteAccount',
    urgent: true,
    body: (at) => ({ password: PASSWORD, memorials: [{ memorialId: at.id, keeperId: null }] }),
  },
  {
    call: 'login',
    how: 'which restores the account',
    urgent: false,
    body: (at) => ({ email: at.owner.user.email, password: PASSWORD }),
  },
]

/** Calls that don't change what a stranger sees of a public memorial. */
const OTHERS: Partial<Record<CallName, string>> = {
  register: 'an account without memorials',
  logout: 'a session',
  openVerificationLink: 'an account without memorials',
  verifyEmail: 'an account without memorials',
  resendVerification: 'a mail',
  forgotPassword: 'a mail',
  resetPassword: 'a password',
  endInvitations: 'invitations',
  confirmEmailChange: 'an address',
  undoEmailChange: 'an address',
  changeEmail: 'mails',
  changePassword: 'a password',
  endAccountSession: 'a session',
  endOtherSessions: 'sessions',
  passkeyRequest: 'a cookie',
  signInByPasskey: 'a session, and memorials that come back as after a login',
  confirmByPassword: 'a session',
  confirmRequest: 'a cookie',
  confirmByPasskey: 'a session',
  preparePasskey: 'a cookie',
  addPasskey: 'how an account is opened',
  renamePasskey: 'how an account is opened',
  removePasskey: 'how an account is opened',
  signInByPrintedCode: 'a session, and memorials that come back as after a login',
  makePrintedCodes: 'how an account is opened',
  prepareAuthenticator: 'a cookie',
  addAuthenticator: 'how an account is opened',
  removeAuthenticator: 'how an account is opened',
  useAuthenticator: 'a session',
  signOutEverywhere: 'sessions',
  createMemorial: 'a private memorial',
  markSeen: 'what the owner has seen',
  updatePrivacy: 'tested separately below',
  locationQr: 'writes nothing',
  uploadMedia: 'refused while LOCKED',
  uploadProfileImage: 'refused while LOCKED',
  uploadOptions: 'writes nothing',
  createUpload: 'refused while LOCKED',
  appendUpload: 'refused while LOCKED',
  deleteUpload: 'an unfinished upload',
  deleteAdded: 'what is removed already',
  showHeld: 'only with something to show: decide-held.test.ts',
  declineHeld: 'what nobody else sees',
  undoHeld: 'only with a decision to undo: decide-held.test.ts',
  postComment: 'refused while LOCKED',
  leaveMessage: 'only where visitors’ words are shown at once: visitor-messages.test.ts',
  proveMessage: 'only with a message held in a burst: visitor-burst.sweep.test.ts',
  sendReply: 'only the last free place: send-reply.test.ts',
  changeReply: 'only the last free place: send-reply.test.ts',
  withdrawReply: 'only the last free place: send-reply.test.ts',
  removeReply: 'only the last free place: send-reply.test.ts',
  tellReplies: 'a mail',
  rotateInviteLink: 'who may contribute',
  addInvitation: 'an invitation',
  askToBeLetIn: 'who asks to be let in',
  decideLetIn: 'who may contribute',
  openLetIn: 'a session',
  endInvitation: 'who may contribute',
  reportComment: 'only the third of a message: report-item.test.ts',
  reportMedia: 'only the third of a medium: report-item.test.ts',
  keepReported: 'only what reports hid: reported-items.test.ts',
  createContributorSession: 'who may contribute',
  inviteKeeper: 'an invitation',
  revokeKeeperInvite: 'an invitation',
  acceptKeeperInvite: 'who looks after it',
  changeKeeper: 'who looks after it',
  removeKeeper: 'who looks after it',
  offerHandover: 'an offer',
  endHandover: 'an offer',
  follow: 'a mail',
  nameSuccessor: 'who may ask for it',
  changeSuccession: 'who may ask for it',
  removeSuccessor: 'who may ask for it',
  askForMemorial: 'a mail',
  claimMemorial: 'who looks after it',
  keepAddress: 'an address that nobody else sees',
  askForCode: 'a mail',
  useCode: 'who may contribute',
  createPaymentIntent: 'a payment; what is LOCKED is paid for',
  useCredit: 'a payment; what is LOCKED is paid for',
  stripeWebhook: 'a payment; what is LOCKED is paid for, and stays when it is refunded',
  syncPayment: 'a payment',
  initPayment: 'a payment',
  payByPhone: 'a payment',
  sendPaymentCode: 'a payment',
  askToPay: 'a link to pay with',
  endPayLink: 'a link to pay with',
  thankPayer: 'a mail',
  payLinkByCard: 'a payment',
  payLinkByPhone: 'a payment',
  payLinkOnPaynow: 'a payment',
  syncLinkPayment: 'a payment',
  sendLinkPaymentCode: 'a payment',
  createGift: 'a gift',
  redeemGift: 'a payment',
  paynowResult: 'a payment',
  contact: 'a mail',
  holdSuccession: 'who may claim it',
  releaseSuccession: 'who may claim it',
  answerMessage: 'a message to support',
  unanswerMessage: 'a message to support',
  generateTokens: 'the pool of invite tokens',
  saveWord: 'what is held from now on',
  removeWord: 'what is held from now on',
  refundPayment: 'a payment; the memorial stays',
  resendMail: 'a mail',
  resendDeadJob: 'a job, which queues its own purges',
  clientErrors: 'a log line',
  suspendAccount: 'who may sign in; its memorials stay as they are',
  reinstateAccount: 'who may sign in',
}

async function stageOf(privacy: Privacy) {
  const owner = await signedIn()
  const { db } = testCtx()
  const passwordHash = await hashPassword(testCtx(), PASSWORD)
  await db.update(users).set({ passwordHash }).where(eq(users.id, owner.user.id))
  const { memorial, path } = await memorialOf({ owner, privacy: 'INVITE' })
  const post = async () => (await owner.post(`${path}/comments`, { body: 'Rest well' })).body.comment.id
  const photo = await sendFixture(owner, memorial.id, 'photo.png')
  const video = await sendFixture(owner, memorial.id, 'video-2s.mp4')
  const [first, second] = [await post(), await post()]
  const [relative, removed] = [
    await contributorOf(owner, memorial.id),
    await contributorOf(owner, memorial.id),
  ]
  const theirs = await relative.post(`${path}/comments`, { body: 'Rest well' })
  await removed.post(`${path}/comments`, { body: 'Rest well' })
  const { body } = await owner.post(`${path}/removals`, { contributorId: removed.session.contributorId })
  const keeper = await keeperOf(owner, memorial.id, 'KEEPER')
  const keeperId = await keeperIdOf(owner, memorial.id)
  await confirmedAgo(owner)
  await owner.post(`${path}/handover`, { keeperId })
  const event = await owner.put(`${path}/funeral`, service('2026-06-05T10:00'))
  await owner.patch(`${path}/privacy`, { privacy })
  return {
    owner,
    id: memorial.id,
    photo,
    video,
    contributorId: relative.session.contributorId,
    removalId: body.removal.id as string,
    theirs: theirs.body.comment.id as string,
    first: first as string,
    second: second as string,
    event: event.body.id as string,
    keeper,
    stranger: await signedIn(),
    admin: await signedIn({ admin: true }),
  }
}

function pathOf({ call, path }: Action, stage: Stage): string {
  if (path) return path(stage)
  return api[call].path
    .replace('/comments/:id', `/comments/${stage.first}`)
    .replace(':id', stage.id)
    .replace(':eventId', stage.event)
    .replace(':removalId', stage.removalId)
    .replace(':contributorId', stage.contributorId)
}

async function perform(action: Action, stage: Stage): Promise<number> {
  const client = action.by?.(stage) ?? stage.owner
  const { method } = api[action.call]
  if (!action.form && !action.file)
    return (await client.call(method, pathOf(action, stage), action.body?.(stage))).status
  const response = action.form
    ? await sendProgramme(client, stage.id)
    : await client.fetch(pathOf(action, stage), { method, body: (await action.file?.()) ?? null })
  await response.arrayBuffer()
  return response.status
}

/** Returns the queued cache purges and clears the queue. */
async function takePurges(): Promise<[string, boolean][]> {
  const { db } = testCtx()
  const rows = await db.select().from(cachePurges)
  await db.delete(cachePurges)
  return rows.map(({ tag, isUrgent }) => [tag, isUrgent])
}

async function purgesOfPrivacy(owner: SignedIn, id: string, privacy: Privacy) {
  await takePurges()
  expect((await owner.patch(`/api/memorials/${id}/privacy`, { privacy })).status).toBe(200)
  return takePurges()
}

test('every call that writes is listed as changing the public page or not', () => {
  const writing = Object.entries(api).filter(([, { method }]) => method !== 'GET')
  const known = new Set([...ACTIONS.map(({ call }) => call as string), ...Object.keys(OTHERS)])
  expect([...writing.map(([name]) => name), 'openVerificationLink'].toSorted()).toEqual([...known].toSorted())
})

/** Performs every action on a new memorial. Returns each one with the purges that it queued. */
async function performAll(privacy: Privacy) {
  const stage = await stageOf(privacy)
  const done: unknown[] = []
  for (const action of ACTIONS) {
    await takePurges()
    const status = await perform(action, stage)
    done.push([action.call, action.how, status < 300 ? 'done' : status, await takePurges()])
  }
  return { done, tag: `memorial-${stage.id}` }
}

test('a public memorial’s page is purged whenever what a stranger sees changes', async () => {
  const { done, tag } = await performAll('LOCKED')
  expect(done).toEqual(ACTIONS.map(({ call, how, urgent }) => [call, how, 'done', [[tag, urgent]]]))
})

test('a memorial that is not public queues no purge, as it has no cached page', async () => {
  for (const privacy of ['PRIVATE', 'INVITE'] as const) {
    const { done } = await performAll(privacy)
    expect(done).toEqual(ACTIONS.map(({ call, how }) => [call, how, 'done', []]))
  }
})

test('leaving Public queues an urgent purge, and becoming public again queues another', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
  const tag = `memorial-${memorial.id}`
  const purges: unknown[] = []
  for (const privacy of ['LOCKED', 'INVITE', 'PRIVATE', 'LOCKED', 'PRIVATE'] as const) {
    purges.push(await purgesOfPrivacy(owner, memorial.id, privacy))
  }
  expect(purges).toEqual([[[tag, false]], [[tag, true]], [], [[tag, false]], [[tag, true]]])
})

test('purging an account queues purges for the public pages it had liked comments on', async () => {
  const stage = await stageOf('LOCKED')
  await stage.stranger.post(`/api/comments/${stage.first}/like`)
  await takePurges()
  await purgeAccount(testCtx(), stage.stranger.user.id)
  expect(await takePurges()).toEqual([[`memorial-${stage.id}`, false]])
})

test('many likes queue one purge', async () => {
  const stage = await stageOf('LOCKED')
  await takePurges()
  for (const client of [stage.stranger, stage.admin, stage.owner]) {
    expect((await client.post(`/api/comments/${stage.second}/like`)).status).toBe(200)
  }
  expect(await takePurges()).toEqual([[`memorial-${stage.id}`, false]])
})
