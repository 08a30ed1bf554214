import type { User } from '#shared/accounts.ts'
import type { ContributorSession } from '#shared/invites.ts'
import type { Memorial, Privacy } from '#shared/memorials.ts'
import { type Ctx } from '#worker/ctx.ts'
export declare const ORIGIN = 'http://localhost'
/** A context as a request would have it, for factories and for calling jobs directly. `now` moves time. */
export declare function testCtx(now?: () => number): Ctx
type Init = {
  headers?: Record<string, string>
  redirect?: RequestRedirect
}
export type Answer<T = unknown> = {
  status: number
  body: T
  headers: Headers
}
/** A browser without a screen: keeps cookies, has an IP address of its own, sends our Origin with every write. */
export declare class Client {
  readonly cookies: Map<string, string>
  ip: string
  fetch(path: string, init?: RequestInit & Init): Promise<Response>
  call<T = any>(method: string, path: string, body?: unknown, init?: Init): Promise<Answer<T>>
  get<T = any>(path: string, init?: Init): Promise<Answer<T>>
  post<T = any>(path: string, body?: unknown, init?: Init): Promise<Answer<T>>
  put<T = any>(path: string, body?: unknown, init?: Init): Promise<Answer<T>>
  patch<T = any>(path: string, body?: unknown, init?: Init): Promise<Answer<T>>
  delete<T = any>(path: string, body?: unknown, init?: Init): Promise<Answer<T>>
}
export type SignedIn = Client & {
  user: User
}
/** A confirmed account with a session, without the cost of hashing a password. */
export declare function signedIn(options?: {
  admin?: boolean
  email?: string
  firstName?: string
}): Promise<SignedIn>
/** A PAID payment of this user that no memorial has used yet. Returns its id. */
export declare function paidCredit(userId: string): Promise<string>
/** A paid memorial of a new owner, in the privacy asked for. */
export declare function memorialOf(options?: {
  privacy?: Privacy
  owner?: SignedIn
  name?: string
}): Promise<{
  owner: SignedIn
  memorial: Memorial
}>
export type Contributor = Client & {
  session: ContributorSession
}
/** The invitation token of a memorial, as its owner is given it. */
export declare function inviteTokenOf(owner: Client, memorialId: string): Promise<string>
/** A relative who opened the invitation and gave a name. */
export declare function contributorOf(
  owner: Client,
  memorialId: string,
  displayName?: string,
): Promise<Contributor>
export {}
