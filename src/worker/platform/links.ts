import { paths } from '#shared/pages/pages.ts'
import type { Ctx } from '#worker/platform/ctx.ts'

/** Links start with PUBLIC_ORIGIN and never with the Host header (host-header poisoning). */
export function link(ctx: Ctx, path: string): string {
  return `${ctx.env.PUBLIC_ORIGIN}${path}`
}

/** The same through the login, which leads on at once where somebody is signed in. */
export function linkThroughLogin(ctx: Ctx, path: string): string {
  return link(ctx, `${paths.login}?next=${encodeURIComponent(path)}`)
}
