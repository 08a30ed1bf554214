import type { Ctx } from '#worker/ctx.ts'

export async function deleteObjects(_ctx: Ctx, _prefix: string): Promise<void> {}
export async function drainObjectDeletions(_ctx: Ctx): Promise<void> {}
export async function sweepOrphanObjects(_ctx: Ctx): Promise<void> {}
