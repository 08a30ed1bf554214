import { api } from '#shared/api.ts'
import { listActivity } from '#worker/features/admin/activity.ts'
import { countMemorials } from '#worker/features/admin/count-memorials.ts'
import { listDeadJobs, resendDeadJob } from '#worker/features/admin/dead-jobs.ts'
import { listAudit, listMemorialAudit } from '#worker/features/admin/list-audit.ts'
import { listAllMemorials } from '#worker/features/admin/list-memorials.ts'
import { listMessages } from '#worker/features/admin/list-messages.ts'
import { listAllPayments } from '#worker/features/admin/list-payments.ts'
import { listMails, resendMail } from '#worker/features/admin/mails.ts'
import { refundAsAdmin } from '#worker/features/admin/refund-payment.ts'
import { removeMemorial, restoreRemovedMemorial } from '#worker/features/admin/remove-memorial.ts'
import { reinstateAccount, suspendAccount } from '#worker/features/admin/suspend-account.ts'
import { checkSystem } from '#worker/features/admin/system.ts'
import { countTokens, generateTokens } from '#worker/features/admin/tokens.ts'
import { memorialFor } from '#worker/access/memorial-access.ts'
import { adminRoute, route, type App } from '#worker/access/route.ts'

/** Mounts the calls of the admin console and the audit log of an owner's memorial. */
export function adminRoutes(app: App): void {
  adminRoute(app, api.adminMemorials, async ({ ctx, query }) => listAllMemorials(ctx, query))
  adminRoute(app, api.adminRemoveMemorial, async ({ ctx, params }) => removeMemorial(ctx, params.id))
  adminRoute(app, api.adminRestoreMemorial, async ({ ctx, params }) => restoreRemovedMemorial(ctx, params.id))
  adminRoute(app, api.adminStats, async ({ ctx }) => countMemorials(ctx))
  adminRoute(app, api.adminActivity, async ({ ctx }) => ({ activity: await listActivity(ctx) }))

  adminRoute(app, api.suspendAccount, async ({ ctx, user, params }) => suspendAccount(ctx, user, params.id))
  adminRoute(app, api.reinstateAccount, async ({ ctx, params }) => reinstateAccount(ctx, params.id))

  adminRoute(app, api.adminPayments, async ({ ctx, query }) => listAllPayments(ctx, query))
  adminRoute(app, api.refundPayment, async ({ ctx, params }) => refundAsAdmin(ctx, params.id))

  adminRoute(app, api.adminTokens, async ({ ctx }) => countTokens(ctx))
  adminRoute(app, api.generateTokens, async ({ ctx, body }) => generateTokens(ctx, body.count))

  adminRoute(app, api.adminMessages, async ({ ctx, query }) => listMessages(ctx, query.cursor ?? null))
  adminRoute(app, api.adminMails, async ({ ctx, query }) => listMails(ctx, query.cursor ?? null))
  adminRoute(app, api.resendMail, async ({ ctx, params }) => resendMail(ctx, params.id))
  adminRoute(app, api.adminDeadJobs, async ({ ctx, query }) => listDeadJobs(ctx, query.cursor ?? null))
  adminRoute(app, api.resendDeadJob, async ({ ctx, params }) => resendDeadJob(ctx, params.id))
  adminRoute(app, api.adminAudit, async ({ ctx, query }) => listAudit(ctx, query.cursor ?? null))
  adminRoute(app, api.adminSystem, async ({ ctx }) => checkSystem(ctx))

  route(app, api.memorialAudit, { access: memorialFor('oversee') }, async ({ ctx, access, query }) =>
    listMemorialAudit(ctx, access.memorial.id, query.cursor ?? null),
  )
}
