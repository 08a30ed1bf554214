import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState, type FormEvent } from 'react'
import { api } from '#shared/api.ts'
import { DISPLAY_NAME } from '#shared/fields.ts'
import { GUEST_NAME } from '#shared/ids.ts'
import type { ContributorSession } from '#shared/invites/invites.ts'
import { DISPLAY_NAME_MAX } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { problemOf } from '#shared/text-rules.ts'
import { call, errorFields, errorText } from '#client/lib/call.ts'
import { Button } from '#client/ui/button.tsx'
import { Dialog, DialogActions } from '#client/ui/dialog.tsx'
import { TextField } from '#client/ui/forms/field.tsx'
import { NameHint } from '#client/ui/forms/name-hint.tsx'
import { guestSessionMade } from './use-guest-session.ts'

/** Asks a guest for the name shown with what they add, and creates a session with it. */
export function NameDialog({
  inviteToken,
  before,
  onNamed,
  onClose,
}: {
  inviteToken: string
  before: string | null
  onNamed: (session: ContributorSession) => void
  onClose: () => void
}) {
  const client = useQueryClient()
  const [name, setName] = useState(before ?? '')
  const [problem, setProblem] = useState<string>()
  const input = useRef<HTMLInputElement>(null)
  const save = useMutation({
    async mutationFn(displayName: string) {
      await guestSessionMade(client, inviteToken)
      return call(api.createContributorSession, {
        params: { token: inviteToken },
        body: { displayName, email: '' },
      })
    },
    onSuccess: onNamed,
    onError(error) {
      const message = errorFields(error)['displayName'] ?? errorText(error, messages.invite.invalid)
      setProblem(message)
      input.current?.focus()
    },
  })
  function submit(event: FormEvent) {
    event.preventDefault()
    if (save.isPending) return
    const found = problemOf(DISPLAY_NAME, name)
    const typed = DISPLAY_NAME.clean(name)
    // The guest name would create a guest session again.
    if (found !== null || typed === GUEST_NAME) {
      setProblem(found ?? messages.contributor.nameRequired)
      input.current?.focus()
      return
    }
    setProblem(undefined)
    save.mutate(typed)
  }
  return (
    <Dialog title="What name should the family see?" onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <TextField
          ref={input}
          label="Your name"
          hint={<NameHint />}
          error={problem}
          value={name}
          maxLength={DISPLAY_NAME_MAX * 2}
          autoComplete="name"
          // eslint-disable-next-line jsx-a11y/no-autofocus -- the only field of a dialog
          autoFocus
          onChange={(event) => {
            setName(event.target.value)
            setProblem(undefined)
          }}
        />
        <DialogActions>
          <Button onClick={onClose}>Back</Button>
          <Button type="submit" variant="primary" aria-disabled={save.isPending}>
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
