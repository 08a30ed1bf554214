import { expect, test } from 'vitest'
import { handovers, keeperInvites } from '#worker/schema/keepers.table.ts'
import { newEmail, PASSWORD } from '../../../../test/worker/accounts.ts'
import { Client, memorialOf, signedIn, type SignedIn } from '../../../../test/worker/harness.ts'
import { handingOver, keeperToken } from '../../../../test/worker/keepers.ts'
import { mailWith, tokenIn } from '../../../../test/worker/mailbox.ts'
import { confirmedAgo } from '../../../../test/worker/passkeys.ts'
import { rowsOf } from '../../../../test/worker/rows.ts'

const NEW_PASSWORD = 'a new beginning'
type Stage = Awaited<ReturnType<typeof handingOver>>

/** The owner sets a new password by a mailed link. Returns its token. */
async function resetOf({ user: { email } }: SignedIn): Promise<string> {
  await new Client().post('/api/auth/forgot-password', { email })
  const token = tokenIn(await mailWith(email, 'Choose a new password'))
  const { status } = await new Client().post('/api/auth/reset-password', { token, password: NEW_PASSWORD })
  expect(status).toBe(200)
  return token
}

async function expectNoOffer({ memorial, accept }: Stage): Promise<void> {
  expect((await accept()).status).toBe(404)
  expect(await rowsOf(handovers, { memorialId: memorial.id })).toEqual([])
}

test(
  'a reset ends only its own account’s offers, and none that somebody has accepted',
  { tags: ['reset-ends-offers', 'voids-own-offers', 'voids-only-offers'] },
  async () => {
    const [intruded, other, past] = [await handingOver(), await handingOver(), await handingOver()]
    for (const { offer } of [intruded, other]) expect((await offer()).status).toBe(204)
    await past.handOver()
    for (const { owner } of [intruded, past]) await resetOf(owner)
    await expectNoOffer(intruded)
    expect((await other.accept()).status).toBe(204)
    expect(await rowsOf(handovers, { memorialId: past.memorial.id })).toHaveLength(1)
  },
)

test('undoing a change of address ends offers', { tags: ['undo-ends-offers'] }, async () => {
  const stage = await handingOver()
  const { owner, offer } = stage
  const [{ email }, next] = [owner.user, newEmail()]
  expect((await offer()).status).toBe(204)
  await owner.post('/api/account/email', { email: next, password: PASSWORD })
  for (const [address, subject] of [
    [next, 'Please confirm your new email address'],
    [email, 'Is your email address changing?'],
  ] as const) {
    const token = tokenIn(await mailWith(address, subject))
    await new Client().post('/api/auth/confirm-email', { token })
  }
  expect(await rowsOf(handovers, { memorialId: stage.memorial.id })).toHaveLength(1)
  const token = tokenIn(await mailWith(email, 'Your email address was changed'))
  expect((await new Client().post('/api/auth/undo-email', { token })).status).toBe(200)
  await expectNoOffer(stage)
})

test('a printed code ends offers', { tags: ['printed-code-ends-offers'] }, async () => {
  const stage = await handingOver()
  const { owner, offer } = stage
  await confirmedAgo(owner)
  const { codes } = (await owner.post<{ codes: string[] }>('/api/account/printed-codes')).body
  expect((await offer()).status).toBe(204)
  const { email } = owner.user
  const used = await new Client().post('/api/auth/printed-code', {
    email,
    code: codes[0],
    password: NEW_PASSWORD,
  })
  expect(used.status).toBe(200)
  await expectNoOffer(stage)
})

test(
  'ending everything after a reset ends links for keepers and offers; keepers stay',
  { tags: ['end-voids-keeper-invites', 'end-voids-offers'] },
  async () => {
    const stage = await handingOver()
    const { owner, keeper, memorial, path, offer } = stage
    const second = await memorialOf({ owner })
    const invited = await Promise.all(
      [memorial, second.memorial].map(({ id }) => keeperToken(owner, id, { role: 'KEEPER' })),
    )
    const elsewhere = await memorialOf()
    const others = await keeperToken(elsewhere.owner, elsewhere.memorial.id, { role: 'KEEPER' })
    const token = await resetOf(owner)
    // Somebody who still gets in offers the memorial again.
    await owner.post('/api/auth/login', { email: owner.user.email, password: NEW_PASSWORD })
    expect((await offer()).status).toBe(204)

    const ended = await new Client().post('/api/auth/end-invitations', { token })
    expect([ended.status, ended.body.message]).toEqual([
      200,
      expect.stringContaining('Whoever looks after a memorial with you still does'),
    ])
    await expectNoOffer(stage)
    const person = await signedIn()
    const accept = async (one: string) => (await person.post(`/api/keeper-invites/${one}/accept`)).status
    for (const one of invited) expect(await accept(one)).toBe(404)
    expect(await rowsOf(keeperInvites, { memorialId: memorial.id })).toEqual([])
    expect(await accept(others)).toBe(200)
    expect((await keeper.get(path)).body.viewer.role).toBe('KEEPER')
  },
)
