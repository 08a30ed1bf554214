import { useMutation } from '@tanstack/react-query'
import { useNavigate } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { call, errorText } from '#client/lib/call.ts'
import { deleteUserData } from '#client/lib/device.ts'
import { links } from '#client/lib/links.ts'
import { useClearSession } from '#client/lib/session.ts'
import { showErrorToast, showToast } from '#client/lib/toast-store.ts'
import { Button } from '#client/ui/button.tsx'

/** Ends all sessions of the user, for example after losing a phone. */
export function SignOutEverywhere() {
  const navigate = useNavigate()
  const forgetSession = useClearSession()
  const signOut = useMutation({
    mutationFn: () => call(api.signOutEverywhere, {}),
    onSuccess({ message }) {
      void navigate(links.home)
      deleteUserData()
      forgetSession()
      showToast({ title: message })
    },
    onError: (error) =>
      showErrorToast(messages.logout.failedTitle, errorText(error, messages.system.internal)),
  })
  return (
    <>
      <p>
        If a phone is lost or somebody else has used your account: this signs you out here and on every other
        device.
      </p>
      <Button disabled={signOut.isPending} onClick={() => signOut.mutate()}>
        Sign out everywhere
      </Button>
    </>
  )
}
