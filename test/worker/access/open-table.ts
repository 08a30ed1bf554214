import { expect } from 'vitest'
import { api } from '#shared/api.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { errorBodyProblems } from '../error-body.ts'
import { Client, inviteTokenOf, memorialOf, paidCredit, signedIn } from '../harness.ts'
import { payTokenOf } from '../pay-links.ts'
import { changeRows } from '../rows.ts'
import { headerProblems } from '../../expected-headers.ts'

/** The viewers, in the order of the cells. A new person makes each call, because some calls end sessions. */
const VIEWERS = ['anonymous', 'signed in', 'suspended', 'admin'] as const
type Viewer = (typeof VIEWERS)[number]
/** One status per viewer: anonymous, signed in, suspended, admin. A 400, 404 or 409 means that access was granted. */
type Cells = readonly [number, number, number, number]
/** Records of somebody else, and a valid invitation. */
type Stage = { ownerId: string; memorialId: string; paymentId: string; invite: string; payToken: string }
type Row = { cells: Cells; path?: (stage: Stage) => string; body?: unknown }

const anyone = (ok: number): Cells => [ok, ok, ok, ok]
const people = (ok: number): Cells => [401, ok, 401, ok]
const admins = (ok: number): Cells => [401, 403, 401, ok]

const passkeyAnswer = {
  credential: {
    id: 'x',
    rawId: 'x',
    type: 'public-key',
    response: { clientDataJSON: 'x', authenticatorData: 'x', signature: 'x' },
  },
}
const newPasskey = {
  credential: { ...passkeyAnswer.credential, response: { clientDataJSON: 'x', attestationObject: 'x' } },
}

/** Every call that names no memorial or part of one. Together with access-table.ts this is the whole contract. */
export const OPEN_TABLE: Partial<Record<keyof typeof api, Row>> = {
  currentUser: { cells: people(200) },
  register: { cells: anyone(400), body: {} },
  login: { cells: anyone(401), body: { email: 'nobody@family.test', password: 'Mutare in the rain' } },
  logout: { cells: anyone(200) },
  openVerificationLink: { cells: anyone(410), path: () => '/api/auth/verify-email/no-such-token' },
  verifyEmail: {
    cells: anyone(410),
    body: { token: 'x', firstName: 'Rudo', lastName: 'Moyo', password: 'Mutare in the rain' },
  },
  resendVerification: { cells: anyone(200), body: { email: 'nobody@family.test' } },
  forgotPassword: { cells: anyone(200), body: { email: 'nobody@family.test' } },
  resetPassword: { cells: anyone(410), body: { token: 'x', password: 'Mutare in the rain' } },
  endInvitations: { cells: anyone(410), body: { token: 'x' } },
  confirmEmailChange: { cells: anyone(410), body: { token: 'x' } },
  undoEmailChange: { cells: anyone(410), body: { token: 'x' } },
  changeEmail: { cells: people(400), body: { email: 'new@family.test', password: 'wrong' } },
  updateAccount: { cells: people(200), body: { firstName: 'Rudo', lastName: 'Moyo' } },
  changePassword: {
    cells: people(400),
    body: { currentPassword: 'wrong', newPassword: 'Mutare in the rain' },
  },
  accountSessions: { cells: people(200) },
  endAccountSession: { cells: people(404), path: () => '/api/account/sessions/ses_nobodys' },
  endOtherSessions: { cells: people(200) },
  signOutEverywhere: { cells: people(200) },
  passkeyRequest: { cells: anyone(200) },
  // Nobody here was asked for one.
  signInByPasskey: { cells: anyone(400), body: passkeyAnswer },
  accountKeys: { cells: people(200) },
  confirmByPassword: { cells: people(400), body: { password: 'wrong' } },
  confirmRequest: { cells: people(200) },
  confirmByPasskey: { cells: people(400), body: passkeyAnswer },
  // Nobody here has confirmed that it's them.
  preparePasskey: { cells: people(403) },
  addPasskey: { cells: people(403), body: newPasskey },
  renamePasskey: {
    cells: people(404),
    path: () => '/api/account/passkeys/pky_nobodys',
    body: { name: 'Phone' },
  },
  removePasskey: { cells: people(403), path: () => '/api/account/passkeys/pky_nobodys' },
  signInByPrintedCode: {
    cells: anyone(401),
    body: { email: 'nobody@family.test', code: 'abcd-efgh-jkmn-pqrs', password: 'Mutare in the rain' },
  },
  makePrintedCodes: { cells: people(403) },
  prepareAuthenticator: { cells: people(403) },
  addAuthenticator: { cells: people(403), body: { code: '123456' } },
  removeAuthenticator: { cells: people(403) },
  // The admin's code is wrong.
  useAuthenticator: { cells: [401, 403, 401, 400], body: { code: '123456' } },
  deleteAccount: { cells: people(400), body: { password: 'wrong' } },
  exportAccount: { cells: people(200) },
  dashboard: { cells: people(200) },
  deletedMemorials: { cells: people(200) },
  createMemorial: { cells: people(201), body: { honoureeFullName: 'Tendai Moyo' } },
  invite: { cells: anyone(200), path: ({ invite }) => `/api/invite/${invite}` },
  askToBeLetIn: {
    cells: anyone(201),
    path: () => '/api/let-in-requests/mem_none',
    body: { name: 'Rudo', relation: 'Her pupil', email: 'rudo@family.test' },
  },
  openLetIn: { cells: anyone(404), path: () => '/api/let-in/none' },
  keeperInvite: { cells: anyone(404), path: () => '/api/keeper-invites/none' },
  // The same for everybody, named or not.
  claimable: { cells: people(200), path: () => '/api/successions/mem_none' },
  askForMemorial: { cells: people(200), path: () => '/api/successions/mem_none/ask' },
  claimMemorial: { cells: people(404), path: () => '/api/successions/mem_none/claim' },
  acceptKeeperInvite: { cells: people(404), path: () => '/api/keeper-invites/none/accept' },
  createContributorSession: {
    cells: anyone(201),
    path: ({ invite }) => `/api/invite/${invite}/session`,
    body: { displayName: 'Farai', email: '' },
  },
  askForCode: {
    cells: anyone(200),
    path: ({ invite }) => `/api/invite/${invite}/code`,
    body: { email: 'nobody@family.test' },
  },
  // Nobody here has asked for one.
  useCode: {
    cells: anyone(400),
    path: ({ invite }) => `/api/invite/${invite}/contributor`,
    body: { code: '123456' },
  },
  createPaymentIntent: { cells: people(200), body: {} },
  // Only the signature counts, not the viewer.
  stripeWebhook: { cells: anyone(400), body: { id: 'evt_1', type: 'payment_intent.succeeded' } },
  syncPayment: { cells: people(404), path: ({ paymentId }) => `/api/payments/${paymentId}/sync` },
  // Only the hash counts, not the viewer.
  paynowResult: { cells: anyone(400), body: { status: 'Paid' } },
  initPayment: { cells: people(200), body: {} },
  // The number is wrong, or the payment isn't theirs.
  payByPhone: { cells: people(400), body: { method: 'ecocash', phone: '123' } },
  sendPaymentCode: {
    cells: people(404),
    path: ({ paymentId }) => `/api/payments/${paymentId}/code`,
    body: { code: '123456' },
  },
  userPayments: { cells: people(200) },
  askToPay: { cells: people(200), body: { showsMemorial: false } },
  payLink: { cells: people(200), path: () => '/api/payments/ask' },
  // The link and the payment are another account's.
  endPayLink: { cells: people(404), path: ({ payToken }) => `/api/payments/ask/${payToken}` },
  thankPayer: {
    cells: people(404),
    path: ({ paymentId }) => `/api/payments/${paymentId}/thanks`,
    body: { words: 'Thank you' },
  },
  // Whoever has the link may see and pay; the owner shows no portrait, and the payment wasn't made with it.
  payLinkView: { cells: anyone(200), path: ({ payToken }) => `/api/pay/${payToken}` },
  payLinkPortrait: { cells: anyone(404), path: ({ payToken }) => `/media/pay/${payToken}` },
  giftCard: { cells: anyone(404), path: ({ payToken }) => `/media/gift/${payToken}` },
  payLinkByCard: {
    cells: anyone(200),
    path: ({ payToken }) => `/api/pay/${payToken}/card`,
    body: { name: 'Farai', email: 'farai@family.test' },
  },
  payLinkByPhone: {
    cells: anyone(400),
    path: ({ payToken }) => `/api/pay/${payToken}/mobile`,
    body: { name: 'Farai', email: 'farai@family.test', method: 'ecocash', phone: '123' },
  },
  payLinkOnPaynow: {
    cells: anyone(200),
    path: ({ payToken }) => `/api/pay/${payToken}/paynow`,
    body: { name: 'Farai', email: 'farai@family.test' },
  },
  syncLinkPayment: {
    cells: anyone(404),
    path: ({ payToken, paymentId }) => `/api/pay/${payToken}/payments/${paymentId}/sync`,
  },
  sendLinkPaymentCode: {
    cells: anyone(404),
    path: ({ payToken, paymentId }) => `/api/pay/${payToken}/payments/${paymentId}/code`,
    body: { code: '123456' },
  },
  createGift: { cells: anyone(201), body: { fromName: 'Farai', recipientName: '', words: '' } },
  gift: { cells: anyone(404), path: () => '/api/gifts/abcd-efgh-jkmn-pqrs' },
  redeemGift: { cells: people(400), body: { code: 'abcd-efgh-jkmn-pqrs' } },
  // A cookie or a mailed link counts, not the viewer.
  replyByLink: { cells: anyone(404), path: () => '/api/replies/rpl_none.token' },
  changeReply: {
    cells: anyone(404),
    path: () => '/api/replies/rpl_none',
    body: { answer: 'COMING', name: 'Farai' },
  },
  withdrawReply: { cells: anyone(404), path: () => '/api/replies/rpl_none' },
  contact: { cells: anyone(400), body: {} },
  adminMemorials: { cells: admins(200) },
  adminStats: { cells: admins(200) },
  adminTokens: { cells: admins(200) },
  generateTokens: { cells: admins(201), body: { count: 1 } },
  adminOverview: { cells: admins(200) },
  adminActivity: { cells: admins(200) },
  adminPayments: { cells: admins(200) },
  refundPayment: { cells: admins(404), path: () => '/api/admin/payments/pay_none/refund' },
  adminMessages: { cells: admins(200) },
  answerMessage: { cells: admins(404), path: () => '/api/admin/messages/msg_none/answered' },
  unanswerMessage: { cells: admins(404), path: () => '/api/admin/messages/msg_none/answered' },
  adminReports: { cells: admins(200) },
  adminSuccessions: { cells: admins(200) },
  holdSuccession: { cells: admins(404), path: () => '/api/admin/successions/mem_none/hold' },
  releaseSuccession: { cells: admins(404), path: () => '/api/admin/successions/mem_none/release' },
  adminWords: { cells: admins(200) },
  saveWord: { cells: admins(200), body: { word: 'loan', kind: 'HOLD' } },
  removeWord: { cells: admins(200), path: () => '/api/admin/words/loan' },
  adminMails: { cells: admins(200) },
  resendMail: { cells: admins(404), path: () => '/api/admin/mails/mail_none/resend' },
  adminDeadJobs: { cells: admins(200) },
  resendDeadJob: { cells: admins(404), path: () => '/api/admin/dead-jobs/job_none/resend' },
  adminAudit: { cells: admins(200) },
  adminSystem: { cells: admins(200) },
  adminRemoveMemorial: {
    cells: admins(200),
    path: ({ memorialId }) => `/api/admin/memorials/${memorialId}/remove`,
  },
  adminRestoreMemorial: {
    cells: admins(200),
    path: ({ memorialId }) => `/api/admin/memorials/${memorialId}/restore`,
  },
  suspendAccount: { cells: admins(200), path: ({ ownerId }) => `/api/admin/users/${ownerId}/suspend` },
  reinstateAccount: { cells: admins(200), path: ({ ownerId }) => `/api/admin/users/${ownerId}/reinstate` },
  health: { cells: anyone(200) },
  healthLive: { cells: anyone(200) },
  clientErrors: { cells: anyone(400), body: {} },
  config: { cells: anyone(200) },
}

async function personOf(viewer: Viewer): Promise<Client> {
  if (viewer === 'anonymous') return new Client()
  const person = await signedIn({ admin: viewer === 'admin' })
  if (viewer === 'suspended') await changeRows(users, { id: person.user.id }, { suspendedAt: Date.now() })
  return person
}

async function stageOf(): Promise<Stage> {
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
  return {
    ownerId: owner.user.id,
    memorialId: memorial.id,
    paymentId: await paidCredit(owner.user.id),
    invite: await inviteTokenOf(owner, memorial.id),
    payToken: await payTokenOf(await signedIn()),
  }
}

/** Makes every call of the table as every viewer and compares all statuses, headers and refusals at once. */
export async function expectOpenAccess(): Promise<void> {
  const stage = await stageOf()
  const answered: Record<string, number[]> = {}
  const problems: string[] = []
  for (const [name, row] of Object.entries(OPEN_TABLE) as [keyof typeof api, Row][]) {
    for (const viewer of VIEWERS) {
      const { method, path } = api[name]
      const person = await personOf(viewer)
      const response = await person.request(method, row.path?.(stage) ?? path, row.body)
      const text = await response.text()
      answered[name] = [...(answered[name] ?? []), response.status]
      const wrong = headerProblems(response, 'call')
      if (response.status >= 400) wrong.push(...errorBodyProblems(response.status, text))
      const isRefused = response.status === 401 && name !== 'login' && name !== 'signInByPrintedCode'
      if (isRefused && !text.includes('"not_signed_in"')) wrong.push(`refused with ${text}`)
      problems.push(...wrong.map((problem) => `${viewer}: ${name}: ${problem}`))
    }
  }
  expect(answered).toEqual(
    Object.fromEntries(Object.entries(OPEN_TABLE).map(([name, row]) => [name, row.cells])),
  )
  expect(problems).toEqual([])
}
