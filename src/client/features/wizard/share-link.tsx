import { messages } from '#shared/messages.ts'
import { showErrorToast, showToast } from '#client/lib/toast-store.ts'
import { Button, ButtonAnchor } from '#client/ui/button.tsx'
import styles from './wizard.module.css'

/** A link to give away: copy it, or send it with a sentence by WhatsApp, SMS or e-mail. */
export function ShareLink({
  title,
  link,
  sentence,
  copied,
}: {
  title: string
  link: string
  sentence: string
  copied: string
}) {
  const text = `${sentence} ${link}`
  async function copy() {
    try {
      await navigator.clipboard.writeText(link)
      showToast({ title: messages.share.copiedTitle, text: copied })
    } catch (error) {
      console.warn('Copying was refused', error)
      showErrorToast(messages.share.copyFailedTitle, 'Press and hold the link to copy it.')
    }
  }
  return (
    <section className={styles['cardBox']} aria-label={title}>
      <p className={styles['label']}>{title}</p>
      <p className={styles['link']}>{link}</p>
      <div className={styles['buttons']}>
        <Button onClick={() => void copy()}>Copy the link</Button>
        <ButtonAnchor
          href={`https://wa.me/?text=${encodeURIComponent(text)}`}
          target="_blank"
          rel="noreferrer"
        >
          WhatsApp
        </ButtonAnchor>
        <ButtonAnchor href={`sms:?&body=${encodeURIComponent(text)}`}>SMS</ButtonAnchor>
        <ButtonAnchor href={`mailto:?body=${encodeURIComponent(text)}`}>E-mail</ButtonAnchor>
      </div>
    </section>
  )
}
