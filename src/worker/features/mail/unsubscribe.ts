import { and, eq } from 'drizzle-orm'
import { isLinkToken, linkToken } from '#worker/access/pepper.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

/** The token of the address that ends the mails about what waits at this memorial. Nobody can make it without the pepper. */
export function unsubscribeToken(ctx: Ctx, memorialId: string, ownerId: string): string {
  return `${memorialId}.${linkToken(ctx, 'unsubscribe', memorialId, ownerId)}`
}

/** Headers of a mail that this address ends by a POST: https://www.rfc-editor.org/rfc/rfc8058#section-3.1 */
export function unsubscribeHeaders(url: string) {
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
}

/** Ends these mails, if the token is right. Says nothing of it: whoever made one up learns nothing. Safe to repeat. */
export async function unsubscribe(ctx: Ctx, token: string): Promise<void> {
  const [id = '', given = ''] = token.split('.')
  const isTarget = eq(memorials.id, id)
  const [memorial] = await ctx.db.select({ ownerId: memorials.ownerId }).from(memorials).where(isTarget)
  // prove: unsubscribe-needs-token
  if (!isLinkToken(ctx, given, 'unsubscribe', id, memorial?.ownerId ?? '')) return
  await ctx.db
    .update(memorials)
    .set({ tellOwner: 'NEVER', tellAt: null })
    .where(and(isTarget, eq(memorials.ownerId, memorial?.ownerId ?? '')))
}
