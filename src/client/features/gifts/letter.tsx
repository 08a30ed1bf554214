import { api } from '#shared/api.ts'
import { fillPath } from '#shared/fill-path.ts'
import type { GiftLetter } from '#shared/payments/pay-links.ts'
import { formatDate } from '#client/lib/dates.ts'
import { useHydrated } from '#client/lib/server-rendering.ts'
import { Button, ButtonAnchor } from '#client/ui/button.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { openShareSheet, ShareText } from '#client/ui/share-text.tsx'
import styles from './letter.module.css'

/** The letter with the code, for the giver: to print, and to send. */
export default function Letter({ gift, token }: { gift: GiftLetter; token: string }) {
  const { code, redeemUrl } = gift
  const isHydrated = useHydrated()
  if (code === null || redeemUrl === null) return null
  const picture = fillPath(api.giftCard.path, { token })
  const words = `${gift.fromName} gives you a memorial to make, for somebody you miss. Its code is ${code}:`
  return (
    <>
      {gift.status !== 'READY' && (
        <Notice kind={gift.status === 'REDEEMED' ? 'success' : 'warning'}>
          <p>
            {gift.status === 'REDEEMED'
              ? 'Somebody has used the code. It can’t be used again.'
              : 'The code could be used for five years, and has ended.'}
          </p>
        </Notice>
      )}
      <section className={`surface ${styles.letter}`} data-print="letter" aria-label="The letter">
        {gift.recipientName !== null && <p>Dear {gift.recipientName},</p>}
        {gift.words !== null && <p className={styles.words}>{gift.words}</p>}
        <p>
          With this code you can make a memorial for somebody you miss: their story, their photos, and the
          words of everyone who knew them. It’s paid for, and it stays.
        </p>
        <p className={styles.code}>{code}</p>
        <p className={styles.address}>{redeemUrl}</p>
        <p>{gift.fromName}</p>
        {gift.expiresAt !== null && (
          <p className="small-muted">For one memorial, until {formatDate(gift.expiresAt)}.</p>
        )}
      </section>
      {gift.status === 'READY' && (
        <div data-print="no">
          <ShareText
            url={redeemUrl}
            words={words}
            title="A memorial as a gift"
            copyLabel="Copy the link"
            copiedTitle="Link copied"
          >
            <Button onClick={() => window.print()}>Print the letter</Button>
            {isHydrated && canShareFiles() ? (
              <Button onClick={() => void sharePicture(picture)}>Send as a picture</Button>
            ) : (
              <ButtonAnchor href={picture} download="gift.jpg">
                Save as a picture
              </ButtonAnchor>
            )}
          </ShareText>
          <p className={`small-muted ${styles.note}`}>
            We’ve mailed you the code, too. Until somebody uses it, you can ask us for your money back.
          </p>
        </div>
      )}
    </>
  )
}

function canShareFiles(): boolean {
  const { canShare } = navigator as Partial<Navigator>
  const file = new File([''], 'gift.jpg', { type: 'image/jpeg' })
  return canShare?.call(navigator, { files: [file] }) ?? false
}

async function sharePicture(address: string): Promise<void> {
  const answer = await fetch(address)
  const file = new File([await answer.blob()], 'gift.jpg', { type: 'image/jpeg' })
  await openShareSheet({ files: [file] })
}
