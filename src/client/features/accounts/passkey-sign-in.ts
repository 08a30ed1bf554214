import { api } from '#shared/api.ts'
import { call } from '#client/lib/call.ts'
import { askForPasskey, knowsPasskeys, passkeyError } from '#client/lib/browser/passkey.ts'

/** Signs in with a passkey that the browser's user picks. Returns the server's words, or what went wrong. */
export async function signInByPasskey(): Promise<{ message: string } | { problem: string }> {
  if (!knowsPasskeys()) return { problem: 'This browser doesn’t know passkeys. Please use your password.' }
  try {
    const { message } = await call(api.signInByPasskey, {
      body: await askForPasskey(await call(api.passkeyRequest, {})),
    })
    return { message }
  } catch (error) {
    return { problem: passkeyError(error) }
  }
}
