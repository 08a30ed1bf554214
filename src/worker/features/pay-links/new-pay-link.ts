import { PAY_LINK_EXPIRES_MS } from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { randomBase32 } from '#worker/platform/random.ts'
import type { payLinks } from '#worker/schema/payments.table.ts'

/** 100 random bits. */
const TOKEN_LENGTH = 20

type Shown = Pick<typeof payLinks.$inferSelect, 'fromName' | 'showsMemorial'>

/** The row of a link that starts now, without its order. */
export function newPayLink(ctx: Ctx, shown: Shown): Omit<typeof payLinks.$inferSelect, 'orderId'> {
  const createdAt = ctx.now()
  return {
    ...shown,
    token: randomBase32(TOKEN_LENGTH),
    createdAt,
    expiresAt: createdAt + PAY_LINK_EXPIRES_MS,
  }
}
