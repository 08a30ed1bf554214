import { useEffect, useRef, useState, type ReactNode } from 'react'
import { formatLifeDates } from '#shared/memorials/life-dates.ts'
import { initialsOf } from '#shared/pages/page-titles.ts'
import { mediaPath } from '#client/lib/links.ts'
import type { StepState } from '#client/lib/setup-steps.ts'
import { PageTitle } from '#client/ui/page.tsx'
import { realDatesOf, type Basics } from './basics.ts'
import { STEPS } from './steps.ts'
import styles from './wizard-shell.module.css'
import shared from './wizard.module.css'

/** Title, progress, the six step cards, the step itself, and a preview on wide screens. */
export function WizardShell({
  step,
  states,
  onJump,
  preview,
  children,
}: {
  step: number
  /** The state of each step. */
  states: readonly StepState[]
  onJump: (step: number) => void
  preview: ReactNode
  children: ReactNode
}) {
  const [isOpen, setOpen] = useState(false)
  const title = STEPS[step]?.title ?? ''
  const heading = useRef<HTMLHeadingElement>(null)
  const shown = useRef(step)
  useEffect(() => {
    if (shown.current === step) return
    shown.current = step
    window.scrollTo(0, 0)
    heading.current?.focus({ preventScroll: true })
  }, [step])

  return (
    <div className={styles.shell}>
      <header className={styles.head}>
        <PageTitle documentTitle={`${title} · Tribute Builder`}>Tribute Builder</PageTitle>
        <div className={styles.where}>
          <p className={styles.badge}>
            Step {step + 1} of {STEPS.length}
          </p>
          <button
            type="button"
            className={styles.toggle}
            aria-expanded={isOpen}
            aria-controls="wizard-steps"
            onClick={() => setOpen(!isOpen)}
          >
            {title} <span aria-hidden="true">{isOpen ? '▴' : '▾'}</span>
          </button>
        </div>
        <progress className={styles.progress} aria-label="Progress" value={step} max={STEPS.length}>
          {Math.round((step / STEPS.length) * 100)} %
        </progress>
      </header>

      <nav id="wizard-steps" aria-label="Steps" className={`${styles.rail} ${isOpen ? styles.open : ''}`}>
        <ol className={styles.steps}>
          {STEPS.map(({ title: name, about }, index) => (
            <li key={name}>
              <button
                type="button"
                className={styles.card}
                aria-current={index === step ? 'step' : undefined}
                onClick={() => {
                  setOpen(false)
                  onJump(index)
                }}
              >
                <span className={styles.cardTitle}>
                  {index + 1}. {name}
                </span>
                <span
                  className={`small-muted ${styles.state} ${states[index] === 'Done' ? styles.done : ''}`}
                >
                  {states[index] === 'Done' && <span aria-hidden="true">✓ </span>}
                  {states[index]}
                </span>
                <span className={`small-muted ${styles.about}`}>{about}</span>
              </button>
            </li>
          ))}
        </ol>
      </nav>

      <section className={styles.step} aria-labelledby="wizard-step-title">
        <h2 id="wizard-step-title" ref={heading} tabIndex={-1} className={styles.stepTitle}>
          {title}
        </h2>
        {children}
      </section>

      <aside className={styles.preview} aria-label="How it will look">
        {preview}
      </aside>
    </div>
  )
}

/** Preview of the memorial page's header, from the current form values. */
export function Preview({ basics, profileMediaId }: { basics: Basics; profileMediaId: string | null }) {
  const dates = formatLifeDates(realDatesOf(basics))
  const name = basics.honoureeFullName.trim()
  return (
    <div className={styles.sketch}>
      <div className={`${shared.mat} ${styles.frame}`}>
        {profileMediaId ? (
          <img className={shared.portrait} src={mediaPath(profileMediaId, 640)} alt="" width={4} height={5} />
        ) : (
          <div className={`${shared.portrait} ${styles.initials}`} aria-hidden="true">
            {initialsOf(name)}
          </div>
        )}
      </div>
      <p className={styles.previewName}>{name || 'Their name'}</p>
      {dates && <p className={`small-muted ${shared.hint}`}>{dates}</p>}
      {basics.title.trim() && <p className={styles.epitaph}>“{basics.title.trim()}”</p>}
      <hr className={styles.rule} />
    </div>
  )
}
