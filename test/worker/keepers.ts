import type { KeeperList, KeeperRole } from '#shared/keepers/keepers.ts'
import type { Privacy } from '#shared/memorials/memorials.ts'
import { hashPassword } from '#worker/features/accounts/passwords.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { PASSWORD } from './accounts.ts'
import { memorialOf, signedIn, testCtx, type Client, type SignedIn } from './harness.ts'
import { confirmedAgo } from './passkeys.ts'
import { changeRows } from './rows.ts'

/** Invites somebody to look after a memorial, by a link. Returns the token in it. */
export async function keeperToken(owner: Client, memorialId: string, input: object): Promise<string> {
  const { body } = await owner.post(`/api/memorials/${memorialId}/keeper-invites`, input)
  return /\/keep\/(\S+)$/u.exec(body.link)?.[1] ?? ''
}

/** A signed-in person who looks after this memorial. */
export async function keeperOf(
  owner: Client,
  memorialId: string,
  role: KeeperRole,
  more: object = {},
): Promise<SignedIn> {
  const keeper = await signedIn()
  await acceptKeeping(keeper, await keeperToken(owner, memorialId, { role, ...more }))
  return keeper
}

export async function acceptKeeping(keeper: Client, token: string): Promise<void> {
  const { status, body } = await keeper.post(`/api/keeper-invites/${token}/accept`)
  if (status !== 200) throw new Error(`not accepted: ${JSON.stringify(body)}`)
}

/** Gives an account a password, of the least cost. */
export async function withPassword<T extends SignedIn>(person: T): Promise<T> {
  const passwordHash = await hashPassword(testCtx(), PASSWORD, { ln: 1, r: 8, p: 1 })
  await changeRows(users, { id: person.user.id }, { passwordHash })
  return person
}

/** The id of the only keeper of a memorial, or of the one with this address. */
export async function keeperIdOf(owner: Client, memorialId: string, email?: string): Promise<string> {
  const { body } = await owner.get<KeeperList>(`/api/memorials/${memorialId}/keepers`)
  return body.keepers.find((keeper) => email === undefined || keeper.email === email)?.id ?? ''
}

/** A memorial of somebody with a password, and the one keeper, Tariro, to whom it can be offered. */
export async function handingOver(privacy: Privacy = 'INVITE') {
  const owner = await withPassword(await signedIn())
  const { memorial, path } = await memorialOf({ owner, privacy, name: 'Sekai Ndlovu' })
  const keeper = await withPassword(await signedIn({ firstName: 'Tariro' }))
  await acceptKeeping(keeper, await keeperToken(owner, memorial.id, { role: 'KEEPER', mayExport: true }))
  const offer = async (from: Client = owner) => {
    await confirmedAgo(from)
    return from.post(`${path}/handover`, { keeperId: await keeperIdOf(from, memorial.id) })
  }
  const accept = (by: Client = keeper) => by.post(`${path}/handover/accept`)
  const takeBack = (by: Client = owner) => by.post(`${path}/handover/take-back`)
  /** Tariro owns it, and the former owner is a keeper. */
  async function handOver() {
    for (const { status, body } of [await offer(), await accept()])
      if (status !== 204) throw new Error(`not handed over: ${JSON.stringify(body)}`)
  }
  return { owner, keeper, memorial, path, offer, accept, takeBack, handOver }
}
