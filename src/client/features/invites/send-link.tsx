import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#shared/api.ts'
import type { Memorial } from '#shared/memorials/memorials.ts'
import { messages } from '#shared/messages.ts'
import { links } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { useOwnOrigin } from '#client/lib/server-rendering.ts'
import { Button, ButtonAnchor } from '#client/ui/button.tsx'
import { Dialog, DialogActions } from '#client/ui/dialog.tsx'
import { LoadError } from '#client/ui/notice.tsx'
import { hrefUnless, ShareText } from '#client/ui/share-text.tsx'
import styles from './share-card.module.css'

/** The invitation link of a memorial that is invite-only. */
export const inviteLinkQuery = (id: string) => endpointQuery(api.inviteLink, { params: { id } })

/**
 * The ways to send the link of a shared memorial: WhatsApp, the system's share sheet where there is one, copying; an
 * invitation also by SMS and email. An invitation goes into private messages only: a network would show it to strangers.
 */
export function SendLink({ memorial }: { memorial: Memorial }) {
  const { honoureeFullName: name, slug } = memorial
  const isInvite = memorial.privacy === 'INVITE'
  const invite = useQuery({ ...inviteLinkQuery(memorial.id), enabled: isInvite })
  const origin = useOwnOrigin()
  if (isInvite && invite.isError) {
    return (
      <LoadError
        title="The invitation link could not be loaded"
        error={invite.error}
        onRetry={() => void invite.refetch()}
      />
    )
  }
  const url = isInvite ? (invite.data?.inviteLink ?? '') : origin + links.publicMemorial(slug)
  const words = isInvite
    ? `You are invited to the memorial of ${name}. You can see it, and add photos and words of your own:`
    : `${name}:`
  const text = `${words} ${url}`
  const email = `mailto:?subject=${encodeURIComponent(name)}&body=${encodeURIComponent(text)}`
  const to = (href: string) => hrefUnless(url === '', href)
  return (
    <ShareText
      url={url}
      words={words}
      title={name}
      copyLabel={isInvite ? 'Copy invitation link' : 'Copy public link'}
      copiedTitle={isInvite ? messages.share.copiedTitle : messages.share.linkCopied}
    >
      {isInvite && (
        <>
          <ButtonAnchor {...to(`sms:?&body=${encodeURIComponent(text)}`)}>SMS</ButtonAnchor>
          <ButtonAnchor {...to(email)}>Email</ButtonAnchor>
        </>
      )}
    </ShareText>
  )
}

/** On the dashboard: opens the ways to send the link of a shared memorial. `isMain`: the card's main button. */
export function SendButton({ memorial, isMain }: { memorial: Memorial; isMain: boolean }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        variant={isMain ? 'primary' : undefined}
        aria-label={`Send it to the family: ${memorial.honoureeFullName}`}
        onClick={() => setOpen(true)}
      >
        Send it to the family
      </Button>
      {isOpen && (
        <Dialog title="Send it to the family" onClose={() => setOpen(false)}>
          <p className={`small-muted ${styles.text}`}>{reachOf(memorial)}</p>
          <SendLink memorial={memorial} />
          <DialogActions>
            <Button onClick={() => setOpen(false)}>Close</Button>
          </DialogActions>
        </Dialog>
      )}
    </>
  )
}

/** Who can see a memorial by its link, in one sentence. */
export function reachOf({ privacy }: Pick<Memorial, 'privacy'>): string {
  if (privacy === 'INVITE')
    return 'Everyone who has this link can see the memorial and add photos and messages.'
  if (privacy === 'LOCKED') return 'Anyone with the public link can see this memorial.'
  return 'Only you can see this memorial. Unlock it to invite family and friends.'
}
