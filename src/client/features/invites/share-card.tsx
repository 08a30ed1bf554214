import type { ReactNode } from 'react'
import type { Memorial } from '#shared/memorials.ts'
import { messages } from '#shared/messages.ts'
import { links } from '#client/lib/links.ts'
import { showErrorToast } from '#client/lib/toast-store.ts'
import { Button } from '#client/ui/button.tsx'
import { copyText } from './copy-text.ts'
import { InviteLinkTools } from './invite-link-tools.tsx'
import { SocialButtons } from './social-buttons.tsx'
import { Card } from '#client/ui/card.tsx'
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
  function copyPublicLink() {
    if (memorial.privacy === 'LOCKED') void copyText(publicLink, { title: messages.share.linkCopied })
    else showErrorToast(messages.share.cannotShareTitle, messages.share.mustBeLocked)
  }
  return (
    <Card id={id} title="Share Memorial">
      {memorial.privacy === 'INVITE' ? (
        <InviteLinkTools memorial={memorial} />
      ) : (
        <>
          <p className={styles.text}>
            {memorial.privacy === 'LOCKED'
              ? 'Anyone with the public link can see this memorial.'
              : 'Only you can see this memorial. Unlock it to invite family and friends.'}
          </p>
          <SocialButtons memorial={memorial} link={publicLink} />
        </>
      )}
      <div className={styles.actions}>
        <Button onClick={copyPublicLink}>Copy public link</Button>
        {children}
      </div>
    </Card>
  )
}
