import type { ReactNode } from 'react'
import { messages } from '#shared/messages.ts'
import { copyText } from '#client/lib/browser/copy-text.ts'
import { whatsAppLink } from '#client/lib/links.ts'
import { useHydrated } from '#client/lib/server-rendering.ts'
import { showErrorToast } from '#client/lib/toast-store.ts'
import { Button, ButtonAnchor } from './button.tsx'
import styles from './share-text.module.css'

/**
 * The ways to send an address with words: WhatsApp, the system's share sheet where there is one, copying the address; `children` are
 * others. While `url` is empty nothing can be pressed.
 */
export function ShareText({
  url,
  words,
  title,
  copyLabel,
  copiedTitle,
  children,
}: {
  url: string
  words: string
  title: string
  copyLabel: string
  copiedTitle: string
  children?: ReactNode
}) {
  const isHydrated = useHydrated()
  const isLoading = url === ''
  return (
    <>
      <ButtonAnchor
        variant="primary"
        wide
        className={styles.first}
        {...hrefUnless(isLoading, whatsAppLink(`${words} ${url}`))}
        target="_blank"
        rel="noopener noreferrer"
      >
        Send with WhatsApp
      </ButtonAnchor>
      <div className={`row ${styles.actions}`}>
        {isHydrated && 'share' in navigator && (
          <Button disabled={isLoading} onClick={() => void openShareSheet({ title, text: words, url })}>
            Send with another app
          </Button>
        )}
        <Button disabled={isLoading} onClick={() => void copyText(url, copiedTitle)}>
          {copyLabel}
        </Button>
        {children}
      </div>
    </>
  )
}

/** A link without an address can't be pressed. */
export function hrefUnless(isLoading: boolean, href: string) {
  return isLoading ? { 'aria-disabled': true } : { href }
}

/** Offers the link to the other apps of this device. Closing the sheet is not an error. */
export async function openShareSheet(data: ShareData): Promise<void> {
  try {
    await navigator.share(data)
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return
    showErrorToast(messages.share.cannotShareTitle, messages.share.copyInstead)
  }
}
