import { useRef, type ReactNode } from 'react'
import { Button } from '#client/ui/button.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { StepForm } from './step-form.tsx'
import type { Wizard } from './use-wizard.ts'
import styles from './wizard.module.css'

/** Step 0. The page passes the card form; `onMissing` focuses it, and a successful payment opens step 1. */
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
    return (
      <>
        <Notice kind="success" title="This is paid for">
          <p>You have paid once. There is nothing more to pay.</p>
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
    <>
      {children}
      <p className={styles.begin}>
        You can also begin without paying, and pay before you share: press Skip for now.
      </p>
      <StepForm wizard={wizard} onMissing={onMissing} onSave={() => wizard.go(1)} />
    </>
  )
}
