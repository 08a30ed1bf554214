import type { Memorial } from '#shared/memorials.ts'
import { links } from '#client/lib/links.ts'
import { ButtonLink } from '#client/ui/button.tsx'
import styles from './life-story.module.css'

/** Shown to those who can write while there is no life story: a question to start with. */
export function StoryPrompt({ memorial }: { memorial: Memorial }) {
  const [firstName = ''] = memorial.honoureeFullName.split(' ')
  return (
    <>
      <p className={styles.prompt}>
        Nothing is written yet. You could begin with this: where was {firstName} born, and to whom?
      </p>
      <ButtonLink to={`${links.editMemorial(memorial.id)}?step=4`} reloadDocument>
        Write the life story
      </ButtonLink>
    </>
  )
}
