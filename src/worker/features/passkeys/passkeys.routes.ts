import { accountAnswers } from '#shared/accounts/account-answers.ts'
import { api } from '#shared/api.ts'
import { passkeyMessages } from '#shared/accounts/passkey-messages.ts'
import { adminAccount, limitByIp, signedIn } from '#worker/access/guards.ts'
import { route, type App } from '#worker/access/route.ts'
import {
  addAuthenticator,
  prepareAuthenticator,
  removeAuthenticator,
  useAuthenticator,
} from '#worker/features/passkeys/authenticator.ts'
import { makePrintedCodes, signInByPrintedCode } from '#worker/features/passkeys/printed-codes.ts'
import {
  addPasskey,
  listKeys,
  preparePasskey,
  removePasskey,
  renamePasskey,
} from '#worker/features/passkeys/passkeys.ts'
import {
  askForAnyPasskey,
  askForOwnPasskey,
  confirmByPasskey,
  confirmByPassword,
  signInByPasskey,
} from '#worker/features/passkeys/use-passkey.ts'

const limitLogins = limitByIp('LIMIT_LOGIN')

export function passkeyRoutes(app: App): void {
  // Costs no row: only answers are limited.
  route(app, api.passkeyRequest, {}, async ({ ctx, headers }) => askForAnyPasskey(ctx, headers))
  route(app, api.signInByPasskey, { limit: limitLogins }, async ({ ctx, body, headers }) => {
    const { user, isRestored } = await signInByPasskey(ctx, body, headers)
    return { message: isRestored ? accountAnswers.restored : accountAnswers.loggedIn, user }
  })

  route(app, api.accountKeys, { user: signedIn }, ({ ctx, user }) => listKeys(ctx, user))
  route(app, api.confirmByPassword, { user: signedIn }, async ({ ctx, user, body }) => {
    await confirmByPassword(ctx, user, body.password)
    return { message: passkeyMessages.confirmed }
  })
  route(app, api.confirmRequest, { user: signedIn }, ({ ctx, user, headers }) =>
    askForOwnPasskey(ctx, user, headers),
  )
  route(app, api.confirmByPasskey, { user: signedIn }, async ({ ctx, user, body }) => {
    await confirmByPasskey(ctx, user, body)
    return { message: passkeyMessages.confirmed }
  })

  route(app, api.preparePasskey, { user: signedIn }, ({ ctx, user, headers }) =>
    preparePasskey(ctx, user, headers),
  )
  route(app, api.addPasskey, { user: signedIn }, async ({ ctx, user, body }) => ({
    message: passkeyMessages.added,
    passkey: await addPasskey(ctx, user, body),
  }))
  route(app, api.renamePasskey, { user: signedIn }, async ({ ctx, user, params, body }) => ({
    message: passkeyMessages.renamed,
    passkey: await renamePasskey(ctx, user.id, params.passkeyId, body.name),
  }))
  route(app, api.removePasskey, { user: signedIn }, async ({ ctx, user, params }) => {
    await removePasskey(ctx, user, params.passkeyId)
    return { message: passkeyMessages.removed }
  })

  route(app, api.signInByPrintedCode, { limit: limitLogins }, async ({ ctx, body, headers }) => {
    const { user, isRestored } = await signInByPrintedCode(ctx, body, headers)
    return { message: isRestored ? accountAnswers.restored : accountAnswers.loggedIn, user }
  })
  route(app, api.makePrintedCodes, { user: signedIn }, async ({ ctx, user }) => ({
    codes: await makePrintedCodes(ctx, user),
  }))

  route(app, api.prepareAuthenticator, { user: adminAccount }, ({ ctx, user, headers }) =>
    prepareAuthenticator(ctx, user, headers),
  )
  route(app, api.addAuthenticator, { user: adminAccount }, async ({ ctx, user, body }) => {
    await addAuthenticator(ctx, user, body.code)
    return { message: passkeyMessages.authenticatorAdded }
  })
  route(app, api.removeAuthenticator, { user: adminAccount }, async ({ ctx, user }) => {
    await removeAuthenticator(ctx, user)
    return { message: passkeyMessages.authenticatorRemoved }
  })
  route(app, api.useAuthenticator, { user: adminAccount }, async ({ ctx, user, body }) => {
    await useAuthenticator(ctx, user, body.code)
    return { message: passkeyMessages.consoleOpen }
  })
}
