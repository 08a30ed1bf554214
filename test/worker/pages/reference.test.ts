import { expect, test } from 'vitest'
import type { api } from '#shared/api.ts'
import { CALLS, type Who } from '../../../tools/build/lib/openapi/calls.ts'
import { TABLE } from '../access/access-table.ts'
import { OPEN_TABLE } from '../access/open-table.ts'

type Name = keyof typeof api

/** What the tables cannot show: the things in them are the owner's, the place is not shown, Stripe is known by its signature. */
const BEYOND: Partial<Record<Name, Who>> = {
  updateMedia: 'contributor',
  uploadPoster: 'contributor',
  deleteMedia: 'contributor',
  deleteComment: 'contributor',
  locationMap: 'viewer',
  stripeWebhook: 'stripe',
}
/** Done, or refused for what was sent and not for who sent it. */
const isLetIn = (status: number) => status < 300 || status === 400 || status === 412

function whoOf(name: Name): Who | undefined {
  const open = OPEN_TABLE[name]?.cells
  if (open) {
    const [anonymous, signedIn] = open
    // Whoever they are, they gave the wrong password.
    if (anonymous !== 401 || signedIn === 401) return 'anyone'
    return signedIn === 403 ? 'admin' : 'account'
  }
  const row = TABLE[name]
  if (!row) return undefined
  const cells = [row.PRIVATE, row.INVITE, row.LOCKED]
  if (cells.some(([anonymous]) => isLetIn(anonymous))) return 'viewer'
  return cells.some(([, , , , contributor]) => isLetIn(contributor)) ? 'contributor' : 'owner'
}

test('the API reference says whom each call lets in as the tables of who may do what do', () => {
  const names = Object.keys(CALLS) as Name[]
  const told = names.map((name) => `${name}: ${CALLS[name].who}`)
  expect(told).toEqual(names.map((name) => `${name}: ${BEYOND[name] ?? whoOf(name)}`))
})
