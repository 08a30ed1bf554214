import { api } from '#shared/api.ts'
import { listActivity, listAudit, listMemorialAudit } from '#worker/features/admin/activity.ts'
import {
  countMemorials,
  listAllMemorials,
  removeMemorial,
  restoreRemovedMemorial,
} from '#worker/features/admin/memorials.ts'
import { listDeadJobs, resendDeadJob } from '#worker/features/admin/dead-jobs.ts'
import { listMessages, setAnswered } from '#worker/features/admin/contact-messages.ts'
import { listLeftReports } from '#worker/features/admin/left-reports.ts'
import { listMails, resendMail } from '#worker/features/admin/mails.ts'
import { readOverview } from '#worker/features/admin/overview.ts'
import { listAllPayments, refundAsAdmin } from '#worker/features/admin/payments.ts'
import { reinstateAccount, suspendAccount } from '#worker/features/admin/suspend-account.ts'
import { holdSuccession, listSuccessions, releaseSuccession } from '#worker/features/admin/successions.ts'
import { checkSystem } from '#worker/features/admin/system.ts'
import { countTokens, generateTokens } from '#worker/features/admin/tokens.ts'
import { listWords, removeWord, saveWord } from '#worker/features/admin/words.ts'
import { memorialFor } from '#worker/access/memorial-access.ts'
import { adminRoute, route, type App } from '#worker/access/route.ts'

export function adminRoutes(app: App): void {
  adminRoute(app, api.adminMemorials, ({ ctx, query }) => listAllMemorials(ctx, query))
  adminRoute(app, api.adminRemoveMemorial, ({ ctx, params, body }) =>
    removeMemorial(ctx, params.id, body.reason),
  )
  adminRoute(app, api.adminRestoreMemorial, ({ ctx, params }) => restoreRemovedMemorial(ctx, params.id))
  adminRoute(app, api.adminStats, ({ ctx }) => countMemorials(ctx))
  adminRoute(app, api.adminOverview, ({ ctx }) => readOverview(ctx))
  adminRoute(app, api.adminActivity, async ({ ctx }) => ({ activity: await listActivity(ctx) }))

  adminRoute(app, api.suspendAccount, ({ ctx, user, params }) => suspendAccount(ctx, user, params.id))
  adminRoute(app, api.reinstateAccount, ({ ctx, params }) => reinstateAccount(ctx, params.id))

  adminRoute(app, api.adminPayments, ({ ctx, query }) => listAllPayments(ctx, query))
  adminRoute(app, api.refundPayment, ({ ctx, params, body }) => refundAsAdmin(ctx, params.id, body.reason))

  adminRoute(app, api.adminTokens, ({ ctx }) => countTokens(ctx))
  adminRoute(app, api.generateTokens, ({ ctx, body }) => generateTokens(ctx, body.count))

  adminRoute(app, api.adminWords, ({ ctx }) => listWords(ctx))
  adminRoute(app, api.saveWord, ({ ctx, body }) => saveWord(ctx, body))
  adminRoute(app, api.removeWord, ({ ctx, params }) => removeWord(ctx, params.word))

  adminRoute(app, api.adminMessages, ({ ctx, query }) => listMessages(ctx, query))
  adminRoute(app, api.answerMessage, ({ ctx, params }) => setAnswered(ctx, params.id, true))
  adminRoute(app, api.unanswerMessage, ({ ctx, params }) => setAnswered(ctx, params.id, false))
  adminRoute(app, api.adminReports, ({ ctx, query }) => listLeftReports(ctx, query.cursor ?? null))
  adminRoute(app, api.adminSuccessions, ({ ctx, query }) => listSuccessions(ctx, query.cursor ?? null))
  adminRoute(app, api.holdSuccession, ({ ctx, params }) => holdSuccession(ctx, params.id))
  adminRoute(app, api.releaseSuccession, ({ ctx, params }) => releaseSuccession(ctx, params.id))
  adminRoute(app, api.adminMails, ({ ctx, query }) => listMails(ctx, query.cursor ?? null))
  adminRoute(app, api.resendMail, ({ ctx, params }) => resendMail(ctx, params.id))
  adminRoute(app, api.adminDeadJobs, ({ ctx, query }) => listDeadJobs(ctx, query.cursor ?? null))
  adminRoute(app, api.resendDeadJob, ({ ctx, params }) => resendDeadJob(ctx, params.id))
  adminRoute(app, api.adminAudit, ({ ctx, query }) => listAudit(ctx, query.cursor ?? null))
  adminRoute(app, api.adminSystem, ({ ctx }) => checkSystem(ctx))

  route(app, api.memorialAudit, { access: memorialFor('readPrivate') }, ({ ctx, access, query }) =>
    listMemorialAudit(ctx, access.memorial.id, query.cursor ?? null),
  )
}
