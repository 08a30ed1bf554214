import { handleApi } from '#worker/api.ts'
import { nameInvitation, serveInvitationCard } from '#worker/features/previews/invitations.ts'
import type { Env, LoopbackExports } from '#worker/platform/env.ts'
import { handleQueue } from '#worker/jobs.ts'
import type { SentJob } from '#worker/schema/jobs.table.ts'
import { handleSchedule } from '#worker/schedule.ts'
import {
  persistDataSaver,
  adaptPage,
  refusePageMethod,
  toFailedPage,
  toHttps,
  toPublicRequest,
} from '#worker/http/page-request.ts'
import { findWellKnown } from '#worker/http/well-known.ts'
import { againPage, answerAgain } from '#worker/pages/again-page.ts'
import { answerContribution } from '#worker/pages/contribution-posts.ts'
import { answerFollow, followPage } from '#worker/pages/follow-page.ts'
import { answerForm } from '#worker/pages/form-posts.ts'
import { personalPage } from '#worker/pages/personal-page.ts'
import { answerReply, repliesPage } from '#worker/pages/reply-posts.ts'
import { answerVisitorForm, visitorWordsPage } from '#worker/pages/visitor-words.ts'
import { answerMailLink } from '#worker/pages/mail-link-page.ts'
import { checkoutPage, queriedScreen } from '#worker/pages/screen-page.ts'

export { MemorialQuota } from '#worker/features/quota/quota.do.ts'
export { UploadStore } from '#worker/features/media/upload-store.do.ts'
export { Throttle } from '#worker/platform/rate-limiter.do.ts'
export { PublicPages } from '#worker/public-pages.ts'

type Execution = ExecutionContext & { exports: LoopbackExports }

export default {
  async fetch(request: Request, env: Env, execution: Execution): Promise<Response> {
    const elsewhere = toHttps(request, env)
    if (elsewhere) return elsewhere
    const { pathname } = new URL(request.url)
    if (pathname.startsWith('/api/') || pathname === '/api' || pathname.startsWith('/media/')) {
      return handleApi(request, env, execution)
    }
    try {
      const answer =
        persistDataSaver(request, env) ??
        (await answerMailLink(request, env, execution)) ??
        (await answerForm(request, env, execution)) ??
        (await answerVisitorForm(request, env, execution)) ??
        (await answerReply(request, env, execution)) ??
        (await answerAgain(request, env, execution)) ??
        (await answerFollow(request, env, execution)) ??
        (await answerContribution(request, env, execution)) ??
        refusePageMethod(request, env) ??
        findWellKnown(request, env, Date.now())
      if (answer) return answer
      const screen =
        (await queriedScreen(request, env)) ??
        (await checkoutPage(request, env, execution)) ??
        (await visitorWordsPage(request, env, execution)) ??
        (await repliesPage(request, env, execution)) ??
        (await againPage(request, env, execution)) ??
        (await followPage(request, env, execution))
      if (screen) return adaptPage(screen, request)
      const card = await serveInvitationCard(request, env, execution)
      if (card) return card
      const personal = await personalPage(request, env, execution)
      if (personal) return adaptPage(personal, request)
      const page = execution.exports.PublicPages.fetch(toPublicRequest(request))
      return adaptPage(await nameInvitation(page, request, env, execution), request)
    } catch (error) {
      return toFailedPage(error, request, env)
    }
  },
  async queue(batch: MessageBatch<SentJob>, env: Env, execution: ExecutionContext): Promise<void> {
    await handleQueue(batch, env, execution)
  },
  async scheduled(controller: ScheduledController, env: Env, execution: ExecutionContext): Promise<void> {
    await handleSchedule(controller.cron, env, execution)
  },
}
