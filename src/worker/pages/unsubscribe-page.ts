import { screenAt, paths } from '#shared/pages.ts'
import { unsubscribe } from '#worker/features/mail/unsubscribe.ts'
import { adaptPage } from '#worker/http/page-request.ts'
import { personalScreen } from '#worker/pages/screen-page.ts'
import { createCtx } from '#worker/platform/ctx.ts'
import type { Env } from '#worker/platform/env.ts'

const TOKEN = /^\/unsubscribe\/([^/]+)\/?$/u

/**
 * Ends the mails that this address names, for the button of its page and for mail programs: https://www.rfc-editor.org/rfc/rfc8058. They
 * send neither cookie nor `Origin`, so nothing is asked of either, and nothing is read of them: only the token counts. The answer is the
 * same for every token. Null for anything but a POST there.
 */
export async function answerUnsubscribe(
  request: Request,
  env: Env,
  execution: ExecutionContext,
): Promise<Response | null> {
  const url = new URL(request.url)
  if (request.method !== 'POST' || screenAt(url.pathname) !== paths.unsubscribe) return null
  const ctx = createCtx({ env, waitUntil: (promise) => execution.waitUntil(promise) })
  await unsubscribe(ctx, TOKEN.exec(url.pathname)?.[1] ?? '')
  url.search = '?done=1'
  return adaptPage(await personalScreen(new Request(url), env, null, 200), request)
}
