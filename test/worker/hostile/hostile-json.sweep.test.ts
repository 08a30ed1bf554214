import { beforeAll, expect, test } from 'vitest'
import { api } from '#shared/api.ts'
import { errorBodyProblems } from '../error-body.ts'
import { takeErrorLines } from '../runtime/error-lines.ts'
import { Client, invited, inviteTokenOf, signedIn } from '../harness.ts'
import { headerProblems } from '../../expected-headers.ts'
import { sweep } from '../faults/faults.ts'
import { payTokenOf } from '../pay-links.ts'
import { sendFixture } from '../uploads.ts'

type Name = keyof typeof api
/** `refused`: 400, 413 or 415. Otherwise the call may accept it, since only unknown keys were added or optional ones left out. */
type Shape = { what: string; body: BodyInit | (() => BodyInit); contentType?: string; mayPass?: boolean }
type Stage = Awaited<ReturnType<typeof stageOf>>

const JSON_TYPE = 'application/json'
const DEEP = 100_000
const TEN_MB = 10 * 1024 * 1024
const service = { title: 'x', dateTime: '2026-06-06T10:00', timeZone: 'Africa/Harare', city: 'x', notes: 'x' }
const account = { email: 'nobody@family.test', password: 'Mutare in the rain' }

const passkeyAnswer = {
  id: 'x',
  rawId: 'x',
  type: 'public-key',
  response: { clientDataJSON: 'x', authenticatorData: 'x', signature: 'x' },
}

/** Only admins have authenticator apps. */
const OF_ADMINS = /^\/api\/(?:admin\/|account\/(?:authenticator|second-factor))/u
/** Who looks after a memorial doesn't follow it. */
const OF_RELATIVES = new Set<Name>(['follow'])
/** The lists that may be empty. */
const EMPTY_LISTS = new Set(['memorials'])

/** A valid body for every call that takes JSON; the test replaces each of its fields in turn. */
const BODIES: Partial<Record<Name, Record<string, unknown>>> = {
  register: { ...account, firstName: 'Rudo', lastName: 'Moyo' },
  login: account,
  resendVerification: { email: account.email },
  forgotPassword: { email: account.email },
  verifyEmail: { token: 'x', password: account.password, firstName: 'Rudo', lastName: 'Moyo' },
  resetPassword: { token: 'x', password: account.password },
  endInvitations: { token: 'x' },
  updateAccount: { firstName: 'Rudo', lastName: 'Moyo' },
  changeEmail: { email: 'new@family.test', password: 'wrong', code: 'x' },
  signInByPasskey: { credential: passkeyAnswer },
  confirmByPassword: { password: 'wrong' },
  confirmByPasskey: { credential: passkeyAnswer },
  addPasskey: { credential: { ...passkeyAnswer, response: { clientDataJSON: 'x', attestationObject: 'x' } } },
  renamePasskey: { name: 'x' },
  signInByPrintedCode: { ...account, code: 'x' },
  addAuthenticator: { code: '123456' },
  useAuthenticator: { code: '123456' },
  confirmEmailChange: { token: 'x' },
  undoEmailChange: { token: 'x' },
  changePassword: { currentPassword: 'wrong', newPassword: account.password },
  deleteAccount: { password: 'wrong', memorials: [{ memorialId: 'mem_none', keeperId: null }] },
  createMemorial: {
    honoureeFullName: 'Tendai',
    title: 'x',
    dateOfBirth: '1941-03-09',
    dateOfBirthPrecision: 'DAY',
    dateOfDeath: '2026-06-02',
    dateOfDeathPrecision: 'DAY',
  },
  updateMemorial: {
    honoureeFullName: 'Tendai',
    title: 'x',
    dateOfBirth: '1941-03-09',
    dateOfBirthPrecision: 'DAY',
    dateOfDeath: '2026-06-02',
    dateOfDeathPrecision: 'DAY',
    lifeStory: '<p>x</p>',
    coverMediaId: null,
    profileMediaId: null,
    showLocation: false,
    allowSearchEngines: false,
    showInvitePreview: false,
  },
  updatePrivacy: { privacy: 'INVITE' },
  deleteMemorial: { confirmName: 'Somebody Else' },
  saveFuneral: { ...service, venueName: 'x', addressLine: 'x', region: 'x', country: 'x', postalCode: 'x' },
  addFuneralEvent: service,
  updateFuneralEvent: service,
  saveLocation: { label: 'x', latitude: -17.8, longitude: 31 },
  updateMedia: { caption: 'x', alt: 'x' },
  removeAdded: { contributorId: 'x' },
  showHeld: { ids: ['x'] },
  declineHeld: { contributorId: 'x' },
  undoHeld: { ids: ['x'] },
  thankComment: { isThanked: true },
  sendReply: {
    answer: 'COMING',
    people: 2,
    name: 'Farai',
    words: 'Go well',
    email: 'farai@family.test',
    inGuestbook: true,
  },
  changeReply: { answer: 'SORRY', people: 1, name: 'Farai', words: '', email: '', inGuestbook: false },
  reportComment: { reason: 'HURTFUL', words: 'x' },
  reportMedia: { reason: 'OTHER', words: 'x' },
  keepReported: { itemId: 'x' },
  postComment: { body: 'Rest well', contributorToken: 'x' },
  leaveMessage: { name: 'Farai', relation: 'Her pupil', body: 'Rest well' },
  proveMessage: { nonce: 'x' },
  createContributorSession: { displayName: 'Farai', email: '' },
  offerHandover: { keeperId: 'con_none' },
  askToBeLetIn: { name: 'Farai', relation: 'His pupil', email: 'farai@family.test' },
  decideLetIn: { decision: 'NOT_NOW' },
  addInvitation: { name: 'Choir', endsAt: null, pin: '' },
  inviteKeeper: { role: 'HELPER', mayExport: false, email: '' },
  nameSuccessor: { name: 'Farai', email: 'farai@family.test', tell: false },
  changeSuccession: { afterMonths: 6 },
  changeKeeper: { role: 'HELPER', mayExport: false },
  follow: { email: 'farai@family.test', news: true },
  keepAddress: { email: 'farai@family.test' },
  askForCode: { email: 'farai@family.test' },
  useCode: { code: '123456', contributorId: 'x' },
  createPaymentIntent: { memorialId: null },
  initPayment: { memorialId: null },
  payByPhone: { memorialId: null, method: 'ecocash', phone: '123' },
  sendPaymentCode: { code: '123456' },
  askToPay: { memorialId: null, showsMemorial: false, isNew: true },
  thankPayer: { words: 'x' },
  payLinkByCard: { name: 'x', email: account.email },
  payLinkByPhone: { name: 'x', email: account.email, method: 'ecocash', phone: '123' },
  payLinkOnPaynow: { name: 'x', email: account.email },
  sendLinkPaymentCode: { code: '123456' },
  createGift: { fromName: 'x', recipientName: 'x', words: 'x' },
  redeemGift: { code: 'x' },
  contact: { email: account.email, subject: 'x', message: 'x' },
  generateTokens: { count: 1 },
  saveWord: { word: 'loan', kind: 'HOLD' },
  refundPayment: { reason: 'x' },
  adminRemoveMemorial: { reason: 'x' },
  clientErrors: { name: 'x', message: 'x', screen: '/', release: 'x', requestId: null },
}

async function stageOf() {
  const { owner, relative, memorial, path } = await invited()
  const event = await owner.put(`${path}/funeral`, { dateTime: '2026-06-06T10:00' })
  const ids: Record<string, string> = {
    '/api/media/:id': await sendFixture(owner, memorial.id, 'photo.png'),
    '/api/invite/:token': await inviteTokenOf(owner, memorial.id),
    '/api/pay/:token': await payTokenOf(await signedIn()),
    '/api/comments/:id': (await owner.post(`${path}/comments`, { body: 'x' })).body.comment.id,
    '/api/memorial/:slug': memorial.slug,
    '/api/memorials/:id': memorial.id,
    ':eventId': event.body.id,
  }
  return { owner, relative, admin: await signedIn({ admin: true }), memorial, path, ids }
}

function personFor(name: Name): Client {
  if (OF_ADMINS.test(api[name].path)) return stage.admin
  return OF_RELATIVES.has(name) ? stage.relative : stage.owner
}

/** The call's address, with the ids of the stage. */
function addressOf(name: Name): string {
  let address: string = api[name].path
  for (const [pattern, id] of Object.entries(stage.ids)) {
    address = address.replace(pattern, pattern.replace(/:\w+$/u, id))
  }
  return address
}

const nested = (open: string, close: string, times: number) => open.repeat(times) + close.repeat(times)

/** JSON text of an object whose keys may repeat or be `__proto__`, which a JavaScript object cannot hold. */
function objectText(entries: [key: string, value: string][]): string {
  return `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`
}

function entriesOf(body: Record<string, unknown>): [string, string][] {
  return Object.entries(body).map(([key, value]) => [key, JSON.stringify(value)])
}

/** Values of other types for a field of text, number or boolean. Every field must refuse those it cannot hold. */
const OBJECTS = [
  '{"$ne":""}',
  '{"$gt":""}',
  '{"$regex":".*"}',
  '{"toString":"x"}',
  '{"length":1e9}',
  '{}',
  '[]',
]
const PLAIN = ['null', '0', '1e400', 'true', '""', String.raw`"\ud800"`, String.raw`"\u0000"`]

/** For each kind of value, the bodies that have it in one of their fields. */
function fieldShapes(body: Record<string, unknown>): Shape[][] {
  const shapes = (value: (own: string) => string, mayPass: boolean) =>
    Object.keys(body).map((field): Shape => {
      const put = value(JSON.stringify(body[field]))
      const others = entriesOf(body).filter(([key]) => key !== field)
      const isEmptyList = put === '[]' && EMPTY_LISTS.has(field)
      return {
        what: `${field} = ${put.slice(0, 20)}`,
        body: objectText([...others, [field, put]]),
        mayPass: mayPass || isEmptyList,
      }
    })
  return [
    ...OBJECTS.map((text) => shapes(() => text, false)),
    shapes((own) => `[${own}]`, false),
    shapes((own) => `[[${own}]]`, false),
    shapes(() => nested('[', ']', DEEP), false),
    ...PLAIN.map((text) => shapes(() => text, true)),
  ]
}

function wholeShapes(body: Record<string, unknown>): Shape[] {
  const right = JSON.stringify(body)
  const beside = (...more: [string, string][]) => objectText([...more, ...entriesOf(body)])
  const bytes = new TextEncoder()
  const utf16 = new Uint8Array([...right].flatMap((char) => [char.charCodeAt(0), 0]))
  const [field = 'x'] = Object.keys(body)
  const endless = () =>
    new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024).fill(32)),
    })
  return [
    ...[
      '[]',
      '[{}]',
      '"text"',
      '7',
      'true',
      '{',
      '}',
      'NaN',
      "{'a':1}",
      `${right}x`,
      `${right},`,
      '\u0000',
    ].map((text): Shape => ({ what: text.slice(0, 20), body: text })),
    { what: 'arrays in arrays', body: () => nested('[', ']', DEEP) },
    {
      what: 'unknown key, objects in objects',
      body: beside(['x', nested('{"a":', '}', 20_000).replace(':}', ':1}')]),
      mayPass: true,
    },
    { what: 'unclosed objects', body: '{"a":'.repeat(20_000) },
    { what: '10 MB', body: () => beside(['x', `"${'x'.repeat(TEN_MB)}"`]) },
    { what: 'endless stream', body: endless },
    {
      what: 'invalid UTF-8',
      body: new Uint8Array([...bytes.encode(`{"${field}":"`), 0xff, 0xfe, ...bytes.encode('"}')]),
    },
    {
      what: 'overlong UTF-8',
      body: new Uint8Array([...bytes.encode(`{"${field}":"`), 0xc0, 0xae, ...bytes.encode('"}')]),
    },
    { what: 'UTF-16', body: utf16 },
    ...[
      'text/plain',
      'text/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'application/json-seq',
      '',
    ].map((contentType): Shape => ({ what: `as "${contentType}"`, body: right, contentType })),
    { what: 'duplicate key, last wrong', body: objectText([...entriesOf(body), [field, '{"$ne":1}']]) },
    { what: 'duplicate key, first wrong', body: beside([field, '{"$ne":1}']), mayPass: true },
    { what: 'null', body: 'null', mayPass: true },
    { what: 'empty', body: '', mayPass: true },
    { what: 'byte order mark', body: `\ufeff${right}`, mayPass: true },
    {
      what: '__proto__',
      body: beside(['__proto__', '{"polluted":1,"isAdmin":true,"role":"ADMIN"}']),
      mayPass: true,
    },
    { what: 'constructor', body: beside(['constructor', '{"prototype":{"polluted":1}}']), mayPass: true },
    {
      what: 'inherited keys',
      body: beside(['toString', '1'], ['hasOwnProperty', '1'], ['', '1']),
      mayPass: true,
    },
    {
      what: 'ten thousand keys',
      body: beside(...Array.from({ length: 10_000 }, (_, at): [string, string] => [`k${at}`, '1'])),
      mayPass: true,
    },
    {
      what: 'protected fields',
      body: beside(
        ['role', '"ADMIN"'],
        ['isAdmin', 'true'],
        ['ownerId', '"usr_x"'],
        ['isPaid', 'true'],
        ['status', '"ACTIVE"'],
        ['slug', '"x"'],
      ),
      mayPass: true,
    },
  ]
}

/** Calls without a JSON schema: the signed webhook and those that take files. They refuse any JSON. */
const OTHERS: Name[] = [
  'stripeWebhook',
  'paynowResult',
  'uploadMedia',
  'uploadProfileImage',
  'uploadPoster',
  'uploadProgramme',
]

const CALLS: Name[] = [...(Object.keys(BODIES) as Name[]), ...OTHERS]

/**
 * Every hostile body for this call or, for `npm test`, a sample: each kind goes to one call, and each call gets at least
 * one kind.
 */
function attacksOn(name: Name): { all: Shape[]; sample: Shape[] } {
  const body = BODIES[name]
  const kinds = body
    ? [...wholeShapes(body).map((shape) => [shape]), ...fieldShapes(body)]
    : wholeShapes({ x: 1 }).map((shape) => [{ ...shape, mayPass: false }])
  const index = CALLS.indexOf(name)
  const isMine = (_: Shape[], kind: number) => kind % CALLS.length === index || kind === index % kinds.length
  return { all: kinds.flat(), sample: kinds.filter(isMine).flat() }
}

let stage: Stage
beforeAll(async () => {
  stage = await stageOf()
})

test('every call that takes a body is sent hostile ones', () => {
  const taking = Object.entries(api)
    .filter(([, { body }]) => body !== undefined)
    .map(([name]) => name)
  expect(CALLS.toSorted()).toEqual([...taking, ...OTHERS].toSorted())
  expect(CALLS.flatMap((name) => attacksOn(name).all).length).toBeGreaterThan(1500)
  expect(CALLS.filter((name) => attacksOn(name).sample.length === 0)).toEqual([])
})

test.each(CALLS)('no hostile body breaks %s or changes protected fields', async (name) => {
  const prototype = Object.getOwnPropertyNames(Object.prototype)
  const before = await snapshot()
  const { all, sample } = attacksOn(name)
  const problems: string[] = []
  for (const shape of sweep(all, sample)) {
    const person = personFor(name)
    person.ip = new Client().ip
    const response = await person.fetch(addressOf(name), {
      method: api[name].method,
      body: typeof shape.body === 'function' ? shape.body() : shape.body,
      headers: { 'Content-Type': shape.contentType ?? JSON_TYPE },
    })
    const text = await response.text()
    const { status } = response
    const wrong = headerProblems(response, 'call')
    if (status >= 400) wrong.push(...errorBodyProblems(status, text))
    // The local payment option answers everybody that it is not available yet.
    if (status >= 500 && !text.includes('"paynow_unavailable"')) wrong.push(`answered ${status}`)
    if (!shape.mayPass && ![400, 413, 415].includes(status)) wrong.push(`accepted with ${status}`)
    problems.push(...wrong.map((problem) => `${shape.what}: ${problem}`))
  }
  takeErrorLines()
  expect(problems).toEqual([])
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(prototype)
  expect(await snapshot()).toEqual(before)
})

/** The owner's identity, rights and state: no request body may change them. */
async function snapshot() {
  const { owner, path } = stage
  const { body: user } = await owner.get('/api/auth/user')
  const { memorial, viewer } = (await owner.get(path)).body
  const { id, ownerId, slug, status, isPaid } = memorial
  return { isAdmin: user.isAdmin, userId: user.id, id, ownerId, slug, status, isPaid, role: viewer.role }
}
