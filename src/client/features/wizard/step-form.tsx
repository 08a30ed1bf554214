import { useState, type FormEvent, type ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { useLocation } from 'react-router-dom'
import { messages } from '#shared/messages.ts'
import { ApiError, errorFields, errorText } from '#client/lib/call.ts'
import { formatTime } from '#client/lib/dates.ts'
import { links } from '#client/lib/links.ts'
import { showErrorToast } from '#client/lib/toast-store.ts'
import type { FieldErrors } from '#client/lib/use-form.ts'
import { Button, ButtonLink } from '#client/ui/button.tsx'
import { ErrorSummary } from '#client/ui/forms/form.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { isStepComplete, LAST_STEP, type StepFacts } from './steps.ts'
import type { Wizard } from './use-wizard.ts'
import styles from './step-form.module.css'

const NO_FACTS: StepFacts = {}

/**
 * The form of one step with its footer: save state and hint, and a bar with Previous and the way on. That is Next once
 * the step is complete; before, it is Skip for now, and Next is beside the hint: a press on it says what is missing and
 * moves the focus to `missing`.
 */
export function StepForm({
  wizard,
  facts = NO_FACTS,
  missing = '',
  isBusy = false,
  storedAt = null,
  errors = null,
  onErrors,
  labelOf,
  onSave,
  onMissing,
  onSkip,
  skipLabel = 'Skip for now',
  keepsSkip = false,
  incomplete = messages.wizard.completeStep,
  above,
  children,
}: {
  wizard: Wizard
  /** What decides whether the step is complete. */
  facts?: StepFacts
  /** Name of the first field to fill in. */
  missing?: string
  isBusy?: boolean
  storedAt?: number | null
  errors?: StepErrors | null
  /** Gets the errors without those of a field whose input the user changes. */
  onErrors?: (errors: StepErrors | null) => void
  /** What the summary puts before a field's message, if that doesn't say it. */
  labelOf?: (field: string) => string | undefined
  onSave: () => Promise<void> | void
  /** Called when the user presses Next on an incomplete step. */
  onMissing?: () => void
  onSkip?: () => void
  /** Null if the step can't be skipped. */
  skipLabel?: string | null
  /** Shows Skip also while the step is complete. */
  keepsSkip?: boolean
  /** Message of Next while the step is incomplete. */
  incomplete?: string
  /** Shown above the form, for content with a form of its own. */
  above?: ReactNode
  children?: ReactNode
}) {
  const { step, go, skip } = wizard
  const isComplete = isStepComplete(step, facts)
  const [attempts, setAttempts] = useState(0)
  const isLast = step === LAST_STEP
  const open = isLast ? messages.wizard.reviewAndFinish : ''
  const hint = isComplete || isLast ? open : incomplete

  function submit(event: FormEvent) {
    event.preventDefault()
    if (isBusy) return
    if (isComplete) {
      void onSave()
      return
    }
    setAttempts(attempts + 1)
    // Render before moving the focus, so that screen readers announce the field with its error.
    flushSync(() => onMissing?.())
    document.getElementById(fieldId(missing))?.focus()
  }

  const skipButton = skipLabel && (
    <Button className={styles.onward} onClick={onSkip ?? skip}>
      {skipLabel}
    </Button>
  )
  const nextButton = (
    <Button
      type="submit"
      variant="primary"
      className={styles.onward}
      aria-disabled={!isComplete || isBusy}
      aria-describedby="wizard-hint"
    >
      {isLast ? 'Complete Setup' : 'Next'}
    </Button>
  )
  const isSkipOnward = skipButton && !isComplete
  function mend({ target }: FormEvent) {
    if (errors && target instanceof HTMLElement) onErrors?.(withoutField(errors, target.id))
  }

  return (
    <>
      {errors && !errors.isInline && (
        <ErrorSummary errors={errors.fields} idOf={fieldId} labelOf={labelOf} text={errors.text} />
      )}
      {errors?.isSignedOut && <SignInAgain />}
      {above}
      <form className={styles.form} onSubmit={submit} onInput={mend} noValidate>
        {children}
        <div className={`row ${styles.foot}`}>
          <SaveLine isBusy={isBusy} storedAt={storedAt} savedAt={wizard.savedAt} />
          <p className={`small-muted ${styles.hint}`} id="wizard-hint">
            {hint}
          </p>
          {isSkipOnward ? nextButton : keepsSkip && skipButton}
        </div>
        <div className={styles.bar} data-keep-clear>
          <Button disabled={step === 0} onClick={() => go(step - 1)}>
            Previous
          </Button>
          {isSkipOnward ? skipButton : nextButton}
        </div>
        <span className="visually-hidden" aria-live="assertive">
          {attempts > 0 && !isComplete ? `${incomplete}${'\u00a0'.repeat(attempts % 2)}` : ''}
        </span>
      </form>
    </>
  )
}

/** Shown when the session has ended. The link back returns to this step, where the draft is restored. */
function SignInAgain() {
  const { pathname, search } = useLocation()
  return (
    <Notice kind="warning" title={messages.wizard.signedOutTitle}>
      <p>{messages.wizard.signedOutText}</p>
      <ButtonLink to={`${links.login}?next=${encodeURIComponent(pathname + search)}`} reloadDocument>
        Sign in again
      </ButtonLink>
    </Notice>
  )
}

function SaveLine({
  isBusy,
  storedAt,
  savedAt,
}: {
  isBusy: boolean
  storedAt: number | null
  savedAt: number | null
}) {
  const stored = storedAt === null ? '' : `Saved on this device ${formatTime(new Date(storedAt))}`
  const sending = stored ? `${stored} · Sending…` : 'Sending…'
  const saved = savedAt === null ? '' : `Saved ${formatTime(new Date(savedAt))}`
  return <output className={`small-muted ${styles.saved}`}>{isBusy ? sending : stored || saved}</output>
}

export type StepErrors = {
  text?: string
  fields: FieldErrors
  /** Show the errors only at the fields, without a summary at the top. */
  isInline?: boolean
  /** The session has ended: the user must sign in again before anything can be saved. */
  isSignedOut?: boolean
}

/** Shows a toast that saving failed, and returns the errors for the step to show. */
export function failStep(title: string, error: unknown, fallback: string): StepErrors {
  const text = errorText(error, fallback)
  showErrorToast(title, text)
  return {
    text,
    fields: errorFields(error),
    isSignedOut: error instanceof ApiError && error.status === 401,
  }
}

/** Element id of a field of the step, for links in the error summary. */
export function fieldId(name: string): string {
  return `wizard-${name.replaceAll('.', '-')}`
}

/** Without the errors of the field to which the element with this id belongs; null once none is left. */
function withoutField(errors: StepErrors, id: string): StepErrors | null {
  const all = Object.entries(errors.fields)
  const belongs = (name: string) => id === fieldId(name) || id.startsWith(`${fieldId(name)}-`)
  const left = all.filter(([name]) => !belongs(name))
  if (left.length === all.length) return errors
  return left.length === 0 && !errors.isSignedOut ? null : { ...errors, fields: Object.fromEntries(left) }
}
