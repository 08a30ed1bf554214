import type { KeeperRole } from '#shared/keepers.ts'
import { signedIn, type Client, type SignedIn } from './harness.ts'

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
