import type { Ctx } from '#worker/ctx.ts'

export async function sendMail(_ctx: Ctx, _mailId: string): Promise<void> {}
export async function markMailDead(_ctx: Ctx, _mailId: string): Promise<void> {}
export async function drainMailOutbox(_ctx: Ctx): Promise<void> {}
