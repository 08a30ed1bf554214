import { COMMENT_MAX, DISPLAY_NAME_MAX, RELATION_MAX } from '#shared/limits.ts'
import type { Memorial } from '#shared/memorials/memorials.ts'
import { messages } from '#shared/messages.ts'
import { VISITOR_FORM } from '#shared/pages/plain-forms.ts'
import { links } from '#client/lib/links.ts'
import { usePostedForm } from '#client/lib/server-rendering.ts'
import { Button } from '#client/ui/button.tsx'
import { Field, TextField } from '#client/ui/forms/field.tsx'
import { ErrorSummary } from '#client/ui/forms/form.tsx'
import styles from './visitor-form.module.css'

/**
 * The form for a visitor's message. The browser sends it, with script or without, to the page of the visitor's own words, which says
 * what became of it, or shows it again with what is wrong.
 */
export function VisitorForm({
  memorial: { slug, visitorMessages },
  isOnMemorial = false,
}: {
  memorial: Pick<Memorial, 'slug' | 'visitorMessages'>
  /** On the memorial's page, which is the same for all visitors. */
  isOnMemorial?: boolean
}) {
  const refused = usePostedForm(VISITOR_FORM)
  const { values = {}, problem } = refused ?? {}
  const { fields = {} } = problem ?? {}
  return (
    <form
      id={VISITOR_FORM}
      method="post"
      action={links.visitorWords(slug)}
      className={styles.form}
      data-plain
      data-print="no"
    >
      {problem && (
        <ErrorSummary
          title={messages.visitors.refusedTitle}
          text={problem.text}
          errors={fields}
          idOf={(field) => `${VISITOR_FORM}-${field}`}
        />
      )}
      <Field
        id={`${VISITOR_FORM}-body`}
        label="Leave a message"
        hint={messages.visitors.hints[visitorMessages]}
        error={fields['body']}
      >
        {(control) => (
          <textarea
            {...control}
            name="message"
            rows={4}
            // Longer than allowed, so that a paste isn't cut without a word.
            maxLength={COMMENT_MAX * 2}
            defaultValue={values['message']}
            required
          />
        )}
      </Field>
      <TextField
        id={`${VISITOR_FORM}-name`}
        label="Your name"
        name="name"
        autoComplete="name"
        maxLength={DISPLAY_NAME_MAX * 2}
        defaultValue={values['name']}
        error={fields['name']}
        required
      />
      <TextField
        id={`${VISITOR_FORM}-relation`}
        label="How did you know each other?"
        optional
        name="relation"
        maxLength={RELATION_MAX * 2}
        defaultValue={values['relation']}
        error={fields['relation']}
      />
      <TextField
        id={`${VISITOR_FORM}-email`}
        label="Your email"
        optional
        hint="For a link to take your words back later. The family won’t see it."
        name="email"
        type="email"
        autoComplete="email"
        defaultValue={values['email']}
        error={fields['email']}
      />
      <Button type="submit" variant="primary">
        Leave this message
      </Button>
      {isOnMemorial && (
        <p className={`small-muted ${styles.note}`}>
          You don’t need an account. <a href={links.visitorWords(slug)}>See what you left before</a>
        </p>
      )}
    </form>
  )
}
