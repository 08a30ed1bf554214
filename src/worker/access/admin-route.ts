import type { User } from '#shared/accounts.ts'
import type { Endpoint, OutputOf } from '#shared/endpoint.ts'
import { throughAccess } from '#worker/access/cloudflare-access.ts'
import { admin } from '#worker/access/guards.ts'
import { route, type App, type HandlerInput } from '#worker/access/route.ts'

/**
 * Mounts one call of the console: for admins, and only through Cloudflare Access where that is set up. Every
 * `/api/admin/*` call is mounted by this and nothing else, so that none can forget a guard.
 */
export function adminRoute<E extends Endpoint<`/api/admin/${string}`>>(
  app: App,
  endpoint: E,
  handler: (input: HandlerInput<E> & { user: User }) => Promise<OutputOf<E>>,
): void {
  route(app, endpoint, { user: admin, access: throughAccess }, handler)
}
