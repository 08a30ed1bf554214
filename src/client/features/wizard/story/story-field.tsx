import { lazy, Suspense } from 'react'
import { LIFE_STORY_TEXT_MAX } from '#shared/limits.ts'
import { codePoints } from '#shared/code-points.ts'
import { Counter } from '#client/ui/forms/field.tsx'
import { Skeleton } from '#client/ui/page.tsx'
import { fieldId } from '../step-form.tsx'
import { storyText } from './story-text.ts'
import styles from '../wizard.module.css'

/** The counter appears when fewer characters than this are left of the 50,000. */
const COUNTER_FROM = 2000

const StoryEditor = lazy(() => import('./story-editor.tsx'))

/** The life story field; the editor loads as a separate chunk. A new `version` makes it show other text. */
export function StoryField({
  html,
  version,
  error,
  onChange,
}: {
  html: string
  version: number
  error: string | undefined
  onChange: (html: string) => void
}) {
  const text = storyText(html)
  return (
    <div className={styles.storyField}>
      <p className={styles.label}>Life story</p>
      <p className={`small-muted ${styles.hint}`} id="wizard-story-hint">
        Write it the way you’d tell it. Everything you type is saved on this device.
      </p>
      <Suspense fallback={<Skeleton height="20rem" />}>
        <StoryEditor
          key={version}
          id={fieldId('lifeStory')}
          html={html}
          describedBy="wizard-story-hint"
          onChange={onChange}
        />
      </Suspense>
      {LIFE_STORY_TEXT_MAX - codePoints(text) < COUNTER_FROM && (
        <Counter text={text} max={LIFE_STORY_TEXT_MAX} />
      )}
      {error && (
        <p className={`error-text ${styles.error}`} role="alert">
          {error}
        </p>
      )}
    </div>
  )
}
