import { screenAt, paths } from '#shared/pages/pages.ts'
import { confirmFollower, endFollowing } from '#worker/features/followers/followers.ts'
import { unsubscribe } from '#worker/features/mail/unsubscribe.ts'
import { sayStillHere } from '#worker/features/successors/still-here.ts'
import { adaptPage } from '#worker/http/page-request.ts'
import { personalScreen } from '#worker/pages/screen-page.ts'
import { createCtx, type Ctx } from '#worker/platform/ctx.ts'
import type { Env } from '#worker/platform/env.ts'

/** What a POST to a mailed address does, by its path. Returns what the page then says. */
const ACTIONS: Record<string, (ctx: Ctx, token: string) => Promise<string>> = {
  async [paths.unsubscribe](ctx, token) {
    await unsubscribe(ctx, token)
    return '1'
  },
  async [paths.unfollow](ctx, token) {
    await endFollowing(ctx, token)
    return '1'
  },
  async [paths.stillHere](ctx, token) {
    await sayStillHere(ctx, token)
    return '1'
  },
  [paths.confirmFollow]: async (ctx, token) => ((await confirmFollower(ctx, token)) ? '1' : 'over'),
}
const TOKEN = /^\/[a-z-]+\/([^/]+)\/?$/u

/**
 * Begins or ends the mails that this address names, or says that an owner is there: for the button of its page and for mail programs: https://www.rfc-editor.org/rfc/rfc8058. They
 * send neither cookie nor `Origin`, so nothing is asked of either, and nothing is read of them: only the token counts. When mails end, the answer is the
 * same for every token. Null for anything but a POST there.
 */
export async function answerMailLink(
  request: Request,
  env: Env,
  execution: ExecutionContext,
): Promise<Response | null> {
  const url = new URL(request.url)
  const act = request.method === 'POST' ? ACTIONS[screenAt(url.pathname)] : undefined
  if (!act) return null
  const ctx = createCtx({ env, waitUntil: (promise) => execution.waitUntil(promise) })
  url.search = `?done=${await act(ctx, TOKEN.exec(url.pathname)?.[1] ?? '')}`
  return adaptPage(await personalScreen(new Request(url), env, null, 200), request)
}
