import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, useId, useState, type ReactNode } from 'react'
import { api } from '#shared/api.ts'
import { invitationMessages } from '#shared/invites/invitation-messages.ts'
import type { Memorial } from '#shared/memorials/memorials.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { links, networkLinks } from '#client/lib/links.ts'
import { useOwnOrigin } from '#client/lib/server-rendering.ts'
import { showErrorToast, showToast } from '#client/lib/toast-store.ts'
import { Button, ButtonAnchor } from '#client/ui/button.tsx'
import { ConfirmDialog } from '#client/ui/dialog.tsx'
import { Disclosures } from '#client/ui/disclosure.tsx'
import { LateDisclosure } from '#client/ui/late-disclosure.tsx'
import { ActionFailed } from '#client/ui/notice.tsx'
import { Card } from '#client/ui/page.tsx'
import { inviteLinkQuery, reachOf, SendLink } from './send-link.tsx'
import styles from './share-card.module.css'

const Invitations = lazy(() => import('./invitations.tsx'))

/**
 * How the owner shares the memorial: the link that others can open, WhatsApp first, two social networks, and `children`
 * (the QR code). `isEndOfSetup`: at the end of the wizard, with only what works.
 */
export function ShareCard({
  id,
  memorial,
  isEndOfSetup = false,
  children,
}: {
  id: string
  memorial: Memorial
  isEndOfSetup?: boolean
  children?: ReactNode
}) {
  const { privacy } = memorial
  return (
    <Card id={id} title={isEndOfSetup ? 'It is ready. Send it to the family' : 'Share Memorial'}>
      <p className={`small-muted ${styles.text}`}>{reachOf(memorial)}</p>
      {privacy !== 'PRIVATE' && <SendLink memorial={memorial} />}
      {privacy === 'INVITE' && <InviteLink id={memorial.id} />}
      {privacy === 'INVITE' && !isEndOfSetup && (
        <Disclosures>
          <LateDisclosure title={invitationMessages.title} height="20rem">
            <Invitations memorialId={memorial.id} />
          </LateDisclosure>
        </Disclosures>
      )}
      {(privacy === 'LOCKED' || !isEndOfSetup) && <Networks memorial={memorial} />}
      {children && <div className={`row ${styles.actions}`}>{children}</div>}
    </Card>
  )
}

/** The social networks, for public memorials only. Of others, what can't be used yet says why. */
function Networks({ memorial }: { memorial: Memorial }) {
  const { privacy } = memorial
  const publicLink = useOwnOrigin() + links.publicMemorial(memorial.slug)
  const isPublic = privacy === 'LOCKED'
  const reasonId = useId()
  const disabled = (why: string) => ({ 'aria-disabled': true, 'aria-describedby': `${reasonId}-${why}` })
  const reason = (why: string, text: string) => (
    <p id={`${reasonId}-${why}`} className={`small-muted ${styles.text}`}>
      {text}
    </p>
  )
  // A memorial with a link that works has its own WhatsApp button.
  const networks = networkLinks(`${memorial.honoureeFullName}: ${publicLink}`, publicLink).filter(
    ({ name }) => name !== 'WhatsApp' || privacy === 'PRIVATE',
  )
  return (
    <>
      <div className={`row ${styles.actions}`}>
        {networks.map(({ name, href }) =>
          isPublic ? (
            <ButtonAnchor key={name} href={href} target="_blank" rel="noopener noreferrer">
              {name}
            </ButtonAnchor>
          ) : (
            <Button key={name} {...disabled('social')}>
              {name}
            </Button>
          ),
        )}
        {!isPublic && (
          // The reason is also a toast, for a press on a button that looks disabled (`aria-disabled`).
          <Button
            {...disabled('copy')}
            onClick={() => showErrorToast(messages.share.cannotShareTitle, messages.share.mustBeLocked)}
          >
            Copy public link
          </Button>
        )}
      </div>
      {!isPublic && reason('social', messages.share.mustBePublic)}
      {!isPublic && reason('copy', messages.share.mustBeLocked)}
    </>
  )
}

/** The invitation link as text, and a way to replace it. */
function InviteLink({ id }: { id: string }) {
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  const options = inviteLinkQuery(id)
  const link = useQuery(options)
  const rotate = useMutation({
    mutationFn: () => call(api.rotateInviteLink, { params: { id } }),
    onSuccess(made) {
      client.setQueryData(options.queryKey, made)
      showToast({ title: messages.invite.rotatedTitle, text: messages.invite.rotatedText })
    },
    onSettled: () => setAsking(false),
  })
  if (link.isError) return null
  return (
    <>
      <label className={styles.label}>
        Invitation link
        <input
          className={styles.link}
          value={link.data?.inviteLink ?? ''}
          readOnly
          onFocus={(event) => event.currentTarget.select()}
        />
      </label>
      <ActionFailed title={messages.memorial.updateFailedTitle} error={rotate.error} />
      <div className={`row ${styles.actions}`}>
        <Button variant="quiet" onClick={() => setAsking(true)}>
          Make a new link
        </Button>
      </div>
      {asking && (
        <ConfirmDialog
          title="Replace the invitation link?"
          confirmLabel="Make a new link"
          busy={rotate.isPending}
          onConfirm={() => rotate.mutate()}
          onClose={() => setAsking(false)}
        >
          <p>
            The old link stops working. Everyone you invited will need the new link. What they added stays.
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}
