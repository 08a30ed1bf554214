import { useRef, type ReactNode } from 'react'
import { PRICE_TEXT } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { Button, ButtonAnchor } from '#client/ui/button.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { StepForm } from './step-form.tsx'
import type { Wizard } from './use-wizard.ts'
import styles from './wizard.module.css'

/**
 * Step 0: pay now, or start with the name. The page passes the card form; `onMissing` focuses it, and a successful
 * payment opens step 1.
 */
export function StepPayment({
  wizard,
  isPaid,
  onMissing,
  children,
}: {
  wizard: Wizard
  isPaid: boolean
  onMissing: () => void
  children: ReactNode
}) {
  const goOn = useRef<HTMLButtonElement>(null)
  if (isPaid) {
    const waits = wizard.view?.memorial.isPaid === false
    return (
      <>
        <Notice kind="success" title={waits ? messages.payment.creditTitle : 'This is paid for'}>
          <p>
            {waits ? messages.payment.creditForShared : 'You have paid once. There is nothing more to pay.'}
          </p>
          <Button variant="primary" ref={goOn} onClick={() => wizard.go(1)}>
            Continue
          </Button>
        </Notice>
        <StepForm
          wizard={wizard}
          incomplete="Press Continue to go on"
          skipLabel={null}
          onMissing={() => goOn.current?.focus()}
          onSave={() => wizard.go(1)}
        />
      </>
    )
  }
  return (
    <StepForm
      wizard={wizard}
      onMissing={onMissing}
      onSave={() => wizard.go(1)}
      above={
        <>
          <div className={styles.ways}>
            <div>
              {/* A link, because it leads to a place on this page. */}
              <ButtonAnchor
                wide
                href="#card-field"
                onClick={(event) => {
                  event.preventDefault()
                  onMissing()
                }}
              >
                Pay now
              </ButtonAnchor>
              <p className={`small-muted ${styles.way}`}>{PRICE_TEXT}, once. Then you can share any time.</p>
            </div>
            <div>
              <Button wide onClick={wizard.skip}>
                Start with the name
              </Button>
              <p className={`small-muted ${styles.way}`}>Pay later, before you share it.</p>
            </div>
          </div>
          {children}
        </>
      }
    />
  )
}
