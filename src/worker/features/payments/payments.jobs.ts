import type { Ctx } from '#worker/ctx.ts'

export async function settlePendingPayments(_ctx: Ctx): Promise<void> {}
