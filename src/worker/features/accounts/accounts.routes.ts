import { accountAnswers } from '#shared/accounts/account-answers.ts'
import { api } from '#shared/api.ts'
import { emailChangeMessages } from '#shared/accounts/email-change-messages.ts'
import { messages } from '#shared/messages.ts'
import { sessionMessages } from '#shared/accounts/session-messages.ts'
import { changePassword, signOutEverywhere, updateAccount } from '#worker/features/accounts/account.ts'
import {
  endOtherSession,
  endOtherSessions,
  listSessions,
} from '#worker/features/accounts/account-sessions.ts'
import { confirmEmailChange, requestEmailChange } from '#worker/features/accounts/email-change.ts'
import { undoEmailChange } from '#worker/features/accounts/undo-email-change.ts'
import { accountDownload } from '#worker/features/accounts/export-account.ts'
import { limitUnknownDevices } from '#worker/features/accounts/login-limits.ts'
import { login } from '#worker/features/accounts/login.ts'
import {
  openVerificationLink,
  register,
  resendVerification,
  verifyEmail,
} from '#worker/features/accounts/register.ts'
import { endInvitations, forgotPassword, resetPassword } from '#worker/features/accounts/reset-password.ts'
import { dropSessionCookie, endSession, toApiUser } from '#worker/access/sessions.ts'
import { endContributorSessions } from '#worker/access/contributor-sessions.ts'
import { limitByIp, signedIn } from '#worker/access/guards.ts'
import { route, type App } from '#worker/access/route.ts'
import { requireRateLimit } from '#worker/platform/rate-limiter.ts'

const limitMailLinks = limitByIp('LIMIT_MAIL_LINK')

export function accountRoutes(app: App): void {
  route(app, api.currentUser, { user: signedIn }, async ({ user }) => toApiUser(user))

  route(app, api.register, { limit: limitByIp('LIMIT_REGISTER') }, async ({ ctx, body, headers }) => {
    await register(ctx, body, headers)
    return { message: messages.register.success }
  })
  route(app, api.openVerificationLink, { limit: limitMailLinks }, async ({ ctx, params, headers }) => {
    // Hono answers HEAD with the GET route; a link scanner that sends HEAD must not use up the token.
    if (ctx.request.method === 'HEAD') return new Response(null)
    return openVerificationLink(ctx, params.token, headers)
  })
  route(app, api.verifyEmail, { limit: limitMailLinks }, async ({ ctx, body, headers }) => {
    await verifyEmail(ctx, body, headers)
    return { message: messages.verify.success }
  })
  route(app, api.resendVerification, { limit: limitByIp('LIMIT_RESEND') }, async ({ ctx, body }) => ({
    message: await resendVerification(ctx, body.email),
  }))
  route(app, api.forgotPassword, { limit: limitByIp('LIMIT_FORGOT') }, async ({ ctx, body }) => {
    forgotPassword(ctx, body.email)
    return { message: messages.forgot.sent }
  })
  route(app, api.resetPassword, { limit: limitMailLinks }, async ({ ctx, body, headers }) => {
    await resetPassword(ctx, body.token, body.password, headers)
    return { message: messages.reset.success }
  })
  route(app, api.endInvitations, { limit: limitMailLinks }, async ({ ctx, body, headers }) => {
    await endInvitations(ctx, body.token, headers)
    return { message: accountAnswers.invitationsEnded }
  })

  route(app, api.login, { limit: limitUnknownDevices }, async ({ ctx, body, headers }) => {
    const { user, isRestored } = await login(ctx, body, headers)
    return { message: isRestored ? accountAnswers.restored : accountAnswers.loggedIn, user }
  })
  // Without a limit: whoever wants out gets out, at an internet café too.
  route(app, api.logout, {}, async ({ ctx, headers }) => {
    await endSession(ctx)
    dropSessionCookie(headers, ctx.request)
    await endContributorSessions(ctx, headers)
    return { message: messages.login.out }
  })

  route(app, api.confirmEmailChange, { limit: limitMailLinks }, async ({ ctx, body }) => ({
    isChanged: await confirmEmailChange(ctx, body.token),
  }))
  route(app, api.undoEmailChange, { limit: limitMailLinks }, async ({ ctx, body }) => {
    await undoEmailChange(ctx, body.token)
    return { message: emailChangeMessages.undone }
  })
  route(app, api.changeEmail, { user: signedIn }, async ({ ctx, user, body }) => {
    await requestEmailChange(ctx, user, body)
    return { message: body.code === '' ? emailChangeMessages.sent : emailChangeMessages.sentToNew }
  })

  route(app, api.updateAccount, { user: signedIn }, ({ ctx, user, body }) =>
    updateAccount(ctx, user.id, body),
  )
  route(app, api.changePassword, { user: signedIn }, async ({ ctx, user, body, headers }) => {
    await changePassword(ctx, user, body, headers)
    return { message: accountAnswers.passwordChanged }
  })
  route(app, api.exportAccount, { user: signedIn }, async ({ ctx, user }) => {
    await requireRateLimit(ctx, 'accountExports', user.id)
    return accountDownload(ctx, user)
  })
  route(app, api.accountSessions, { user: signedIn }, async ({ ctx }) => ({
    sessions: await listSessions(ctx),
  }))
  route(app, api.endAccountSession, { user: signedIn }, async ({ ctx, params }) => {
    await endOtherSession(ctx, params.sessionId)
    return { message: sessionMessages.ended }
  })
  route(app, api.endOtherSessions, { user: signedIn }, async ({ ctx, headers }) => {
    await endOtherSessions(ctx, headers)
    return { message: sessionMessages.othersEnded }
  })
  route(app, api.signOutEverywhere, { user: signedIn }, async ({ ctx, user, headers }) => {
    await signOutEverywhere(ctx, user.id, headers)
    await endContributorSessions(ctx, headers)
    return { message: accountAnswers.outEverywhere }
  })
}
