import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useRef, useState, type ReactNode } from 'react'
import type { AdminMemorial } from '#shared/admin/admin.ts'
import { api } from '#shared/api.ts'
import { REMOVAL_NOTE_MAX } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { announce } from '#client/lib/toast-store.ts'
import { Button } from '#client/ui/button.tsx'
import { ConfirmDialog } from '#client/ui/dialog.tsx'
import { ActionFailed } from '#client/ui/notice.tsx'
import { invalidateAfter, useMemorialChanged } from './admin.queries.ts'
import { ReasonDialog } from './reason-dialog.tsx'
import styles from './console.module.css'
import rows from './lists.module.css'

type Step = {
  label: string
  /** What the action will do, for the confirmation dialog. */
  question: string
  consequences: ReactNode
  variant: 'danger' | 'primary'
  keepLabel: string
  /** Set if the owner is told why, in the admin's words. */
  reason?: { hint: string; max: number }
  run: (reason: string) => Promise<unknown>
  /** What the action has changed, and the words for those who can't see the row's new badge. */
  changed: () => void
  done: string
}

/** The menu of admin actions on a memorial and its owner. Each action explains itself and asks for confirmation. */
export function MemorialActions({ memorial }: { memorial: AdminMemorial }) {
  const menuId = useId()
  const menu = useRef<HTMLDivElement>(null)
  const [chosen, setChosen] = useState<Step | null>(null)
  const steps = useSteps(memorial)
  const act = useMutation({
    mutationFn: ({ step, reason = '' }: { step: Step; reason?: string }) => step.run(reason),
    onSuccess(_, { step: { changed, done } }) {
      changed()
      announce(done)
      setChosen(null)
    },
  })
  return (
    <>
      <Button
        className={rows.small}
        popoverTarget={menuId}
        aria-label={`More for ${memorial.honoureeFullName}`}
      >
        More
      </Button>
      <div ref={menu} id={menuId} popover="auto" className={styles.menu}>
        {steps.map((step) => (
          <Button
            key={step.label}
            variant="quiet"
            className={styles.item}
            onClick={() => {
              // Close the menu first: focus returns to its button, and the dialog later returns it there too.
              menu.current?.hidePopover()
              act.reset()
              setChosen(step)
            }}
          >
            {step.label}
          </Button>
        ))}
      </div>
      {chosen?.reason && (
        <ReasonDialog
          title={chosen.question}
          {...chosen.reason}
          confirmLabel={chosen.label}
          keepLabel={chosen.keepLabel}
          isBusy={act.isPending}
          error={act.error}
          onConfirm={(reason) => act.mutate({ step: chosen, reason })}
          onClose={() => setChosen(null)}
        >
          {chosen.consequences}
        </ReasonDialog>
      )}
      {chosen && !chosen.reason && (
        <ConfirmDialog
          title={chosen.question}
          confirmLabel={chosen.label}
          keepLabel={chosen.keepLabel}
          variant={chosen.variant}
          busy={act.isPending}
          onConfirm={() => act.mutate({ step: chosen })}
          onClose={() => setChosen(null)}
        >
          {chosen.consequences}
          <ActionFailed title={messages.admin.actionFailedTitle} error={act.error} />
        </ConfirmDialog>
      )}
    </>
  )
}

/** The actions that are possible in the current state of the memorial and its owner. */
function useSteps(memorial: AdminMemorial): Step[] {
  const client = useQueryClient()
  const memorialChanged = useMemorialChanged()
  const { id, honoureeFullName: name, owner, status } = memorial
  const texts = messages.admin

  const remove: Step = {
    label: 'Remove memorial',
    question: `Remove the memorial for ${name}?`,
    consequences: (
      <p>
        Only admins can open it then, not even its owner; the public link, the QR code and the invitation stop
        working. Nothing is deleted: you can restore it as it was. Nothing is refunded.
      </p>
    ),
    reason: {
      hint: 'Write it to the owner: they get exactly these words in an email and on their dashboard. Leave out what is only for us. Without a reason, the email says that they can ask.',
      max: REMOVAL_NOTE_MAX,
    },
    variant: 'danger',
    keepLabel: 'Keep it',
    run: (reason) => call(api.adminRemoveMemorial, { params: { id }, body: { reason } }),
    changed: () => memorialChanged(memorial),
    done: texts.removedTitle,
  }
  const restore: Step = {
    label: 'Restore memorial',
    question: `Restore the memorial for ${name}?`,
    consequences: (
      <p>
        It comes back as it was, for the same people as before: its owner, those who were invited, or everyone
        with its public link. The owner gets an email.
      </p>
    ),
    variant: 'primary',
    keepLabel: 'Leave it removed',
    run: () => call(api.adminRestoreMemorial, { params: { id } }),
    changed: () => memorialChanged(memorial),
    done: texts.restoredTitle,
  }
  const suspend: Step = {
    label: 'Suspend owner',
    question: `Suspend ${owner.email}?`,
    consequences: (
      <p>
        This person is signed out on every device at once and cannot sign in until the account is reinstated.
        Their memorials stay as they are.
      </p>
    ),
    variant: 'danger',
    keepLabel: 'Do not suspend',
    run: () => call(api.suspendAccount, { params: { id: owner.id } }),
    changed: () => invalidateAfter(client, 'account'),
    done: texts.suspendedTitle,
  }
  const reinstate: Step = {
    label: 'Reinstate owner',
    question: `Reinstate ${owner.email}?`,
    consequences: <p>This person can sign in again, with the same password as before.</p>,
    variant: 'primary',
    keepLabel: 'Leave it suspended',
    run: () => call(api.reinstateAccount, { params: { id: owner.id } }),
    changed: () => invalidateAfter(client, 'account'),
    done: texts.reinstatedTitle,
  }
  // A memorial that its owner deleted is already hidden, and only the owner can restore it.
  const ofMemorial = status === 'DELETED' ? [] : [status === 'REMOVED' ? restore : remove]
  return [...ofMemorial, owner.suspendedAt === null ? suspend : reinstate]
}
