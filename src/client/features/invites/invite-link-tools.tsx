import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#shared/api.ts'
import type { Memorial } from '#shared/memorials.ts'
import { messages } from '#shared/messages.ts'
import { call, errorText } from '#client/lib/call.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { showErrorToast, showToast } from '#client/lib/toast-store.ts'
import { Button, ButtonAnchor } from '#client/ui/button.tsx'
import { ConfirmDialog } from '#client/ui/dialog.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { copyText } from './copy-text.ts'
import { SocialButtons } from './social-buttons.tsx'
import styles from './share-card.module.css'

/** The invitation link, with ways to send it and to replace it. */
export function InviteLinkTools({ memorial }: { memorial: Memorial }) {
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
    onError: (error) =>
      showErrorToast(messages.memorial.updateFailedTitle, errorText(error, messages.system.internal)),
    onSettled: () => setAsking(false),
  })
  if (link.isError) {
    return (
      <Notice kind="error" title="The invitation link could not be loaded">
        <p>{errorText(link.error, messages.system.internal)}</p>
        <Button onClick={() => void link.refetch()}>Try again</Button>
      </Notice>
    )
  }
  const url = link.data?.inviteLink ?? ''
  const text = `You are invited to the memorial of ${memorial.honoureeFullName}. You can see it, and add photos and words of your own: ${url}`
  return (
    <>
      <p className={styles.text}>
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
      <div className={styles.actions}>
        <Button
          variant="primary"
          disabled={url === ''}
          onClick={() => void copyText(url, { title: messages.share.copiedTitle })}
        >
          Copy invitation link
        </Button>
      </div>
      <SocialButtons memorial={memorial} link={url} text={text} />
      <div className={styles.actions}>
        <ButtonAnchor href={`sms:?&body=${encodeURIComponent(text)}`}>SMS</ButtonAnchor>
        <ButtonAnchor
          href={`mailto:?subject=${encodeURIComponent(memorial.honoureeFullName)}&body=${encodeURIComponent(text)}`}
        >
          E-mail
        </ButtonAnchor>
      </div>
      <div className={styles.actions}>
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
