import type { Memorial } from '#shared/memorials.ts'
import { messages } from '#shared/messages.ts'
import { showErrorToast } from '#client/lib/toast-store.ts'
import { Button, ButtonAnchor } from '#client/ui/button.tsx'
import styles from './share-card.module.css'

/** WhatsApp and Facebook buttons; a private memorial explains why it can't be shared. `text` is sent with the link. */
export function SocialButtons({
  memorial,
  link,
  text = `${memorial.honoureeFullName}: ${link}`,
}: {
  memorial: Memorial
  link: string
  text?: string
}) {
  const networks = [
    {
      name: 'WhatsApp',
      href: `https://wa.me/?text=${encodeURIComponent(text)}`,
    },
    {
      name: 'Facebook',
      href: `https://www.facebook.com/sharer/sharer.php?u=${encodeURIComponent(link)}`,
    },
  ]
  return (
    <div className={styles.actions}>
      {networks.map(({ name, href }) =>
        memorial.privacy === 'PRIVATE' ? (
          <Button
            key={name}
            onClick={() => showErrorToast(messages.share.cannotShareTitle, messages.share.mustBePublic)}
          >
            {name}
          </Button>
        ) : (
          <ButtonAnchor key={name} href={href} target="_blank" rel="noopener noreferrer">
            {name}
          </ButtonAnchor>
        ),
      )}
    </div>
  )
}
