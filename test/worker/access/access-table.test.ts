import { expect, test } from 'vitest'
import { api } from '#shared/api.ts'
import { app } from '#worker/api.ts'
import { expectAccess, expectHidden, TABLE } from './access-table.ts'
import { expectOpenAccess, OPEN_TABLE } from './open-table.ts'
import { CALLS, type Who } from '../../../tools/build/lib/openapi/calls.ts'

test('every call on a memorial, its media, comments or files has a row in this table', () => {
  const naming = Object.entries(api)
    .filter(([, { path }]) =>
      /^\/(?:api\/(?:memorials?|media|comments)|media\/(?:stream|removed))\/:/u.test(path),
    )
    .map(([name]) => name)
  expect(Object.keys(TABLE).toSorted()).toEqual(naming.toSorted())
})

test.each(['PRIVATE', 'INVITE', 'LOCKED'] as const)(
  'each kind of viewer may do with a memorial that is %s what the table says',
  { tags: ['locked-memorial-closed'] },
  expectAccess,
)

const HIDDEN = (['DELETED', 'REMOVED'] as const).flatMap((status) =>
  (['PRIVATE', 'INVITE', 'LOCKED'] as const).map((privacy) => [privacy, status] as const),
)

test.each(HIDDEN)(
  'only admins can do anything with a memorial that is %s and %s',
  { tags: ['removed-memorial-hidden'] },
  (privacy, status) => expectHidden(status, privacy),
)

test('each viewer gets the stated answers from calls that name no memorial', async () => {
  await expectOpenAccess()
})

const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`

test('the Worker answers exactly the calls of the contract under /api and /media', () => {
  expect(app.routes.map(nameOf).toSorted()).toEqual(Object.values(api).map(nameOf).toSorted())
})

test('every call has a row in one of the two access tables', () => {
  const rows = [...Object.keys(TABLE), ...Object.keys(OPEN_TABLE)]
  expect(rows.toSorted()).toEqual(Object.keys(api).toSorted())
})

type Name = keyof typeof api

/** Exceptions: the tables' records belong to the owner, the location is hidden, nobody has confirmed that it's them, Stripe and Paynow are known by their signatures. */
const BEYOND: Partial<Record<Name, Who>> = {
  updateMedia: 'contributor',
  uploadPoster: 'contributor',
  deleteMedia: 'contributor',
  deleteComment: 'contributor',
  restoreMedia: 'contributor',
  restoreComment: 'contributor',
  removedThumbnail: 'contributor',
  restoreAdded: 'owner',
  deleteAdded: 'owner',
  locationMap: 'viewer',
  preparePasskey: 'account',
  addPasskey: 'account',
  removePasskey: 'account',
  makePrintedCodes: 'account',
  stripeWebhook: 'provider',
  paynowResult: 'provider',
}
/** Done, or refused because of the input and not because of the viewer. */
const isLetIn = (status: number) => status < 300 || status === 400 || status === 412

function whoOf(name: Name): Who | undefined {
  const open = OPEN_TABLE[name]?.cells
  if (open) {
    const [anonymous, signedIn] = open
    // Any viewer: the password is wrong.
    if (anonymous !== 401 || signedIn === 401) return 'anyone'
    return signedIn === 403 ? 'admin' : 'account'
  }
  const row = TABLE[name]
  if (!row) return undefined
  const cells = [row.PRIVATE, row.INVITE, row.LOCKED]
  if (cells.some(([anonymous]) => isLetIn(anonymous))) return 'viewer'
  return cells.some(([, , , , contributor]) => isLetIn(contributor)) ? 'contributor' : 'owner'
}

test('the API reference states the same access for each call as the access tables', () => {
  const names = Object.keys(CALLS) as Name[]
  const documented = names.map((name) => `${name}: ${CALLS[name].who}`)
  expect(documented).toEqual(names.map((name) => `${name}: ${BEYOND[name] ?? whoOf(name)}`))
})
