import { beforeEach, expect, test } from 'vitest'
import type { Memorial } from '#shared/memorials.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { and, eq } from 'drizzle-orm'
import { runFaults, type Scenario } from './fault-run.ts'
import { memorialOf, paidCredit, signedIn, testCtx } from '../harness.ts'
import { deleteAll } from '../state.ts'

beforeEach(deleteAll)

const newMemorial: Scenario<{ owner: Awaited<ReturnType<typeof signedIn>>; key: string }> = {
  async arrange() {
    const owner = await signedIn()
    await paidCredit(owner.user.id)
    return { owner, key: crypto.randomUUID() }
  },
  client: ({ owner }) => owner,
  memorialIds: () => [],
  async act({ owner, key }) {
    const headers = { 'Idempotency-Key': key }
    const body = { honoureeFullName: 'Tendai Moyo', title: 'She stayed.' }
    return (await owner.post('/api/memorials', body, { headers })).status
  },
  done: [201],
  async expectDone({ owner }) {
    const { body } = await owner.get<{ memorials: Memorial[] }>('/api/dashboard')
    expect(body.memorials.map(({ title, status, isPaid }) => [title, status, isPaid])).toEqual([
      ['She stayed.', 'ACTIVE', true],
    ])
  },
}

/** One change by the owner of a shared memorial. */
function change(
  act: (owner: Awaited<ReturnType<typeof signedIn>>, memorial: Memorial) => Promise<number>,
  expectDone: (owner: Awaited<ReturnType<typeof signedIn>>, memorial: Memorial) => Promise<void>,
  doneBefore: number[] = [],
): Scenario<Awaited<ReturnType<typeof memorialOf>>> {
  return {
    arrange: () => memorialOf({ privacy: 'INVITE' }),
    client: ({ owner }) => owner,
    memorialIds: ({ memorial }) => [memorial.id],
    act: ({ owner, memorial }) => act(owner, memorial),
    done: [200, 201, 204],
    doneBefore,
    expectDone: ({ owner, memorial }) => expectDone(owner, memorial),
  }
}
const viewOf = async (owner: Awaited<ReturnType<typeof signedIn>>, { id }: Memorial) =>
  (await owner.get(`/api/memorials/${id}`)).body

const changes = {
  'a life story': change(
    async (owner, memorial) =>
      (
        await owner.patch(`/api/memorials/${memorial.id}`, {
          lifeStory: '<p>She walked to school.</p>',
          updatedAt: memorial.updatedAt,
        })
      ).status,
    async (owner, memorial) => {
      expect((await viewOf(owner, memorial)).memorial.lifeStory).toBe('<p>She walked to school.</p>')
    },
  ),
  'a change to public': change(
    async (owner, memorial) =>
      (await owner.patch(`/api/memorials/${memorial.id}/privacy`, { privacy: 'LOCKED' })).status,
    async (owner, memorial) => {
      expect((await viewOf(owner, memorial)).memorial.privacy).toBe('LOCKED')
    },
  ),
  'a service': change(
    async (owner, memorial) =>
      (
        await owner.put(`/api/memorials/${memorial.id}/funeral`, {
          title: 'Burial',
          dateTime: '2026-12-01T10:00',
          timeZone: 'Africa/Harare',
        })
      ).status,
    async (owner, memorial) => {
      const { funeralEvents } = await viewOf(owner, memorial)
      expect(funeralEvents.map(({ title }: { title: string }) => title)).toEqual(['Burial'])
    },
  ),
  'a grave location': change(
    async (owner, memorial) =>
      (
        await owner.put(`/api/memorials/${memorial.id}/location`, {
          label: 'Warren Hills',
          latitude: -17.8,
          longitude: 30.9,
        })
      ).status,
    async (owner, memorial) => {
      expect((await viewOf(owner, memorial)).location).toEqual({
        label: 'Warren Hills',
        latitude: -17.8,
        longitude: 30.9,
      })
    },
  ),
  'a new invitation link': change(
    async (owner, memorial) => (await owner.post(`/api/memorials/${memorial.id}/invite-link/rotate`)).status,
    async (owner, memorial) => {
      const { body } = await owner.get<{ inviteLink: string }>(`/api/memorials/${memorial.id}/invite-link`)
      const token = body.inviteLink.split('/invite/')[1]
      expect((await owner.get(`/api/invite/${token}`)).status).toBe(200)
    },
  ),
  'a deletion': change(
    async (owner, memorial) =>
      (await owner.delete(`/api/memorials/${memorial.id}`, { confirmName: memorial.honoureeFullName }))
        .status,
    async (owner, memorial) => {
      expect((await owner.get(`/api/memorials/${memorial.id}`)).status).toBe(404)
      const sent = await testCtx()
        .db.select({ id: mails.id })
        .from(mails)
        .where(and(eq(mails.subjectId, memorial.id), eq(mails.kind, 'memorial-deleted')))
      expect(sent).toHaveLength(1)
    },
    [404],
  ),
}

test('a memorial is created once and its payment is spent once, whichever call fails', async () => {
  expect(await runFaults(newMemorial)).toContain('DB.batch')
})

test.each(Object.entries(changes))('%s is saved once, whichever call fails', async (_, scenario) => {
  expect((await runFaults(scenario)).length).toBeGreaterThan(2)
})

test('a restored memorial is active again, whichever call fails', async () => {
  const scenario = change(
    async (owner, memorial) => (await owner.post(`/api/memorials/${memorial.id}/restore`)).status,
    async (owner, memorial) => {
      expect((await viewOf(owner, memorial)).memorial.status).toBe('ACTIVE')
    },
    [409],
  )
  const calls = await runFaults({
    ...scenario,
    async arrange() {
      const setup = await memorialOf({ privacy: 'INVITE' })
      const { id, honoureeFullName } = setup.memorial
      await setup.owner.delete(`/api/memorials/${id}`, { confirmName: honoureeFullName })
      return setup
    },
  })
  expect(calls.length).toBeGreaterThan(2)
})
