import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { changePassword, signOutEverywhere, updateAccount } from '#worker/features/accounts/account.ts'
import { accountDownload } from '#worker/features/accounts/export-account.ts'
import { login } from '#worker/features/accounts/login.ts'
import {
  openVerificationLink,
  register,
  resendVerification,
  verifyEmail,
} from '#worker/features/accounts/register.ts'
import { endInvitations, forgotPassword, resetPassword } from '#worker/features/accounts/reset-password.ts'
import { dropSessionCookie, endSession } from '#worker/access/sessions.ts'
import { endContributorSessions } from '#worker/access/contributor-sessions.ts'
import { limitByIp, signedIn } from '#worker/access/guards.ts'
import { route, type App } from '#worker/access/route.ts'
import { requireRateLimit } from '#worker/platform/rate-limiter.ts'

const limitLogins = limitByIp('LIMIT_LOGIN')
const limitMails = limitByIp('LIMIT_ACCOUNT_MAIL')

export function accountRoutes(app: App): void {
  route(app, api.currentUser, { user: signedIn }, async ({ user }) => user)

  route(app, api.register, { limit: limitMails }, async ({ ctx, body, headers }) => {
    await register(ctx, body, headers)
    return { message: messages.register.success }
  })
  route(app, api.openVerificationLink, { limit: limitLogins }, async ({ ctx, params, headers }) => {
    // Hono answers HEAD with the GET route; a link scanner that sends HEAD must not use up the token.
    if (ctx.request.method === 'HEAD') return new Response(null)
    return openVerificationLink(ctx, params.token, headers)
  })
  route(app, api.verifyEmail, { limit: limitLogins }, async ({ ctx, body }) => {
    await verifyEmail(ctx, body)
    return { message: messages.verify.success }
  })
  route(app, api.resendVerification, { limit: limitMails }, async ({ ctx, body }) => ({
    message: await resendVerification(ctx, body.email),
  }))
  route(app, api.forgotPassword, { limit: limitMails }, async ({ ctx, body }) => {
    forgotPassword(ctx, body.email)
    return { message: messages.forgot.sent }
  })
  route(app, api.resetPassword, { limit: limitLogins }, async ({ ctx, body }) => {
    await resetPassword(ctx, body.token, body.password)
    return { message: messages.reset.success }
  })
  route(app, api.endInvitations, { limit: limitLogins }, async ({ ctx, body }) => {
    await endInvitations(ctx, body.token)
    return { message: messages.reset.invitationsEnded }
  })

  route(app, api.login, { limit: limitLogins }, async ({ ctx, body, headers }) => {
    const { user, isRestored } = await login(ctx, body, headers)
    return { message: isRestored ? messages.account.restored : messages.login.success, user }
  })
  route(app, api.logout, { limit: limitLogins }, async ({ ctx, headers }) => {
    await endSession(ctx)
    dropSessionCookie(headers, ctx.request)
    await endContributorSessions(ctx, headers)
    return { message: messages.login.out }
  })

  route(app, api.updateAccount, { user: signedIn }, ({ ctx, user, body }) =>
    updateAccount(ctx, user.id, body),
  )
  route(app, api.changePassword, { user: signedIn }, async ({ ctx, user, body, headers }) => {
    await changePassword(ctx, user, body, headers)
    return { message: messages.password.changed }
  })
  route(app, api.exportAccount, { user: signedIn }, async ({ ctx, user }) => {
    await requireRateLimit(ctx, 'accountExports', user.id)
    return accountDownload(ctx, user)
  })
  route(app, api.signOutEverywhere, { user: signedIn }, async ({ ctx, user, headers }) => {
    await signOutEverywhere(ctx, user.id, headers)
    await endContributorSessions(ctx, headers)
    return { message: messages.login.outEverywhere }
  })
}
