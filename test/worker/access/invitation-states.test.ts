import { expect, test } from 'vitest'
import { memorials } from '#worker/schema/memorials.table.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { Client, contributorOf, inviteTokenOf, memorialOf, type SignedIn } from '../harness.ts'
import { changeRows, rowsOf } from '../rows.ts'
import { mediaRowsOf, SOUND, upload } from '../uploads.ts'

type State = { enter: (owner: SignedIn, id: string) => Promise<unknown>; cells: (string | number)[] }
const privacy = (value: string) => (owner: SignedIn, id: string) =>
  owner.patch(`/api/memorials/${id}/privacy`, { privacy: value })
const status = (value: 'REMOVED' | 'DELETED') => async (_: SignedIn, id: string) =>
  changeRows(memorials, { id }, { status: value, deletedAt: 1 })

/** Statuses: card, new session; an older session's page, upload, comment; the new session's page and comment. */
const STATES: Record<string, State> = {
  INVITE: { enter: privacy('INVITE'), cells: [200, 201, 200, 201, 201, 200, 201] },
  PRIVATE: {
    enter: privacy('PRIVATE'),
    cells: [
      'memorial_private',
      'memorial_private',
      'memorial_private',
      'memorial_private',
      'memorial_private',
      'no session',
      'no session',
    ],
  },
  LOCKED: {
    enter: privacy('LOCKED'),
    cells: [200, 201, 200, 'memorial_locked', 'memorial_locked', 200, 'memorial_locked'],
  },
  'by a new link': {
    enter: (owner, id) => owner.post(`/api/memorials/${id}/invite-link/rotate`),
    cells: [
      'not_found',
      'not_found',
      'invitation_needed',
      'invitation_needed',
      'invitation_needed',
      'no session',
      'no session',
    ],
  },
  REMOVED: {
    enter: status('REMOVED'),
    cells: ['not_found', 'not_found', 'not_found', 'not_found', 'not_found', 'no session', 'no session'],
  },
  DELETED: {
    enter: status('DELETED'),
    cells: ['not_found', 'not_found', 'not_found', 'not_found', 'not_found', 'no session', 'no session'],
  },
}

const codeOrStatus = (answer: { status: number; body: { code?: string } }) =>
  answer.body.code ?? answer.status

test.each(Object.entries(STATES))(
  'what an invitation opens while the memorial is %s',
  async (_, { enter, cells }) => {
    const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE' })
    const before = await contributorOf(owner, memorial.id)
    const token = await inviteTokenOf(owner, memorial.id)
    await enter(owner, memorial.id)
    const late = new Client()
    const card = await late.get(`/api/invite/${token}`)
    const session = await late.post(`/api/invite/${token}/session`, { displayName: 'Late', email: '' })
    const isIn = session.status === 201
    const byNew = async (call: () => Promise<Parameters<typeof codeOrStatus>[0]>) =>
      isIn ? codeOrStatus(await call()) : 'no session'
    const seen = [
      codeOrStatus(card),
      codeOrStatus(session),
      codeOrStatus(await before.get(path)),
      codeOrStatus(await upload(before, memorial.id, SOUND)),
      codeOrStatus(await before.post(`${path}/comments`, { body: 'Rest well' })),
      await byNew(() => late.get(path)),
      await byNew(() => late.post(`${path}/comments`, { body: 'Rest well' })),
    ]
    expect(seen).toEqual(cells)
    // Refused calls leave no rows.
    const people = await rowsOf(contributors, { memorialId: memorial.id })
    expect([people.length, (await mediaRowsOf(memorial.id)).length]).toEqual([
      cells[1] === 201 ? 2 : 1,
      cells[3] === 201 ? 1 : 0,
    ])
    expect(late.cookies.size).toBe(isIn ? 1 : 0)
  },
)
