import type { Ctx } from '#worker/platform/ctx.ts'

/** Links start with PUBLIC_ORIGIN and never with the Host header (host-header poisoning). */
export function link(ctx: Ctx, path: string): string {
  return `${ctx.env.PUBLIC_ORIGIN}${path}`
}
