import type { Ctx } from '#worker/ctx.ts'

export async function removeUnverifiedAccounts(_ctx: Ctx): Promise<void> {}
