import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useState, type ReactNode } from 'react'
import { api } from '#shared/api.ts'
import type { Memorial } from '#shared/memorials.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { copyText } from '#client/lib/copy-text.ts'
import { links, networkLinks, whatsAppLink } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { showErrorToast, showToast, showFailure } from '#client/lib/toast-store.ts'
import { Button, ButtonAnchor } from '#client/ui/button.tsx'
import { ConfirmDialog } from '#client/ui/dialog.tsx'
import { LoadError } from '#client/ui/notice.tsx'
import { Card } from '#client/ui/page.tsx'
import styles from './share-card.module.css'

/** How the owner shares the memorial: invitation link, public link, two social networks, and `children` (the QR code). */
export function ShareCard({
  id,
  memorial,
  children,
}: {
  id: string
  memorial: Memorial
  children?: ReactNode
}) {
  const publicLink = window.location.origin + links.publicMemorial(memorial.slug)
  const isPublic = memorial.privacy === 'LOCKED'
  const isInvite = memorial.privacy === 'INVITE'
  const reasonId = useId()
  // The reason is also a toast, for a press on a button that looks disabled (`aria-disabled`).
  function copyPublicLink() {
    if (isPublic) void copyText(publicLink, messages.share.linkCopied)
    else showErrorToast(messages.share.cannotShareTitle, messages.share.mustBeLocked)
  }
  const disabled = (why: string) =>
    isPublic ? {} : { 'aria-disabled': true, 'aria-describedby': `${reasonId}-${why}` }
  const reason = (why: string, text: string) =>
    !isPublic && (
      <p id={`${reasonId}-${why}`} className={`small-muted ${styles.text}`}>
        {text}
      </p>
    )
  return (
    <Card id={id} title="Share Memorial">
      {isInvite ? (
        <InviteLinkTools memorial={memorial} />
      ) : (
        <p className={`small-muted ${styles.text}`}>
          {isPublic
            ? 'Anyone with the public link can see this memorial.'
            : 'Only you can see this memorial. Unlock it to invite family and friends.'}
        </p>
      )}
      <div className={`row ${styles.actions}`}>
        {networkLinks(`${memorial.honoureeFullName}: ${publicLink}`, publicLink)
          // The invitation has its own WhatsApp button.
          .slice(isInvite ? 1 : 0)
          .map(({ name, href }) =>
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
        <Button {...disabled('copy')} onClick={copyPublicLink}>
          Copy public link
        </Button>
      </div>
      {reason('social', messages.share.mustBePublic)}
      {reason('copy', messages.share.mustBeLocked)}
      {children && <div className={`row ${styles.actions}`}>{children}</div>}
    </Card>
  )
}

/** The invitation link, with ways to send it and to replace it. */
function InviteLinkTools({ memorial }: { memorial: Memorial }) {
  const client = useQueryClient()
  const [asking, setAsking] = useState(false)
  const params = { id: memorial.id }
  const options = endpointQuery(api.inviteLink, { params })
  const link = useQuery(options)
  const rotate = useMutation({
    mutationFn: () => call(api.rotateInviteLink, { params }),
    onSuccess(made) {
      client.setQueryData(options.queryKey, made)
      showToast({ title: messages.invite.rotatedTitle, text: messages.invite.rotatedText })
    },
    onError: (error) => showFailure(messages.memorial.updateFailedTitle, error),
    onSettled: () => setAsking(false),
  })
  if (link.isError) {
    return (
      <LoadError
        title="The invitation link could not be loaded"
        error={link.error}
        onRetry={() => void link.refetch()}
      />
    )
  }
  const url = link.data?.inviteLink ?? ''
  const text = `You are invited to the memorial of ${memorial.honoureeFullName}. You can see it, and add photos and words of your own: ${url}`
  return (
    <>
      <p className={`small-muted ${styles.text}`}>
        Everyone who has this link can see the memorial and add photos and messages.
      </p>
      <label className={styles.label}>
        Invitation link
        <input
          className={styles.link}
          value={url}
          readOnly
          onFocus={(event) => event.currentTarget.select()}
        />
      </label>
      <div className={`row ${styles.actions}`}>
        <Button
          variant="primary"
          disabled={url === ''}
          onClick={() => void copyText(url, messages.share.copiedTitle)}
        >
          Copy invitation link
        </Button>
      </div>
      {/* Private messages only: a network would show the invitation to strangers. */}
      <div className={`row ${styles.actions}`}>
        <ButtonAnchor href={whatsAppLink(text)} target="_blank" rel="noopener noreferrer">
          WhatsApp
        </ButtonAnchor>
        <ButtonAnchor href={`sms:?&body=${encodeURIComponent(text)}`}>SMS</ButtonAnchor>
        <ButtonAnchor
          href={`mailto:?subject=${encodeURIComponent(memorial.honoureeFullName)}&body=${encodeURIComponent(text)}`}
        >
          E-mail
        </ButtonAnchor>
      </div>
      <div className={`row ${styles.actions}`}>
        <Button variant="quiet" onClick={() => setAsking(true)}>
          Make a new link
        </Button>
      </div>
      {asking && (
        <ConfirmDialog
          title="Make a new link; the old one stops working"
          confirmLabel="Make a new link"
          busy={rotate.isPending}
          onConfirm={() => rotate.mutate()}
          onClose={() => setAsking(false)}
        >
          <p>Everyone you invited needs the new link to come in again. What they added stays.</p>
        </ConfirmDialog>
      )}
    </>
  )
}
