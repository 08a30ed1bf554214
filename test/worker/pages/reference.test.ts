import { expect, test } from 'vitest'
import type { api } from '#shared/api.ts'
import { CALLS, type Who } from '../../../tools/build/lib/openapi/calls.ts'
import { TABLE } from '../access/access-table.ts'
import { OPEN_TABLE } from '../access/open-table.ts'

type Name = keyof typeof api

/** Exceptions: the tables' records belong to the owner, the location is hidden, Stripe is known by its signature. */
const BEYOND: Partial<Record<Name, Who>> = {
  updateMedia: 'contributor',
  uploadPoster: 'contributor',
  deleteMedia: 'contributor',
  deleteComment: 'contributor',
  locationMap: 'viewer',
  stripeWebhook: 'stripe',
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
