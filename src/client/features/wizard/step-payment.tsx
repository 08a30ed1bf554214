import type { ReactNode } from 'react'
import { Button } from '#client/ui/button.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { StepForm } from './step-form.tsx'
import { isStepComplete } from './steps.ts'
import styles from './wizard.module.css'
import type { Wizard } from './wizard.ts'

/** Step 0. The card form comes from the page; its own success opens step 1. */
export function StepPayment({
  wizard,
  isPaid,
  children,
}: {
  wizard: Wizard
  isPaid: boolean
  children: ReactNode
}) {
  return (
    <>
      {isPaid ? (
        <Notice kind="success" title="This is paid for">
          <p>You have paid once. There is nothing more to pay.</p>
          <Button look="primary" onClick={() => wizard.go(1)}>
            Continue
          </Button>
        </Notice>
      ) : (
        <>
          {children}
          <p className={styles['begin']}>
            <Button look="quiet" onClick={() => wizard.go(1)}>
              Begin without paying; pay before you share
            </Button>
          </p>
        </>
      )}
      <StepForm wizard={wizard} isComplete={isStepComplete(0, {})} missing="" onSave={() => wizard.go(1)}>
        {null}
      </StepForm>
    </>
  )
}
