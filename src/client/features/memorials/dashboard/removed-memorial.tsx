import { initialsOf } from '#shared/pages/page-titles.ts'
import type { RemovedMemorial } from '#shared/memorials/memorials.ts'
import { links, type ContactDraft } from '#client/lib/links.ts'
import { ButtonLink } from '#client/ui/button.tsx'
import styles from './memorial-card.module.css'

/** The dashboard's card of a memorial that an admin removed: why, and how to answer. It leads nowhere else. */
export function RemovedMemorialCard({ memorial }: { memorial: RemovedMemorial }) {
  const { honoureeFullName: name, reason } = memorial
  const draft: ContactDraft = {
    subject: 'My memorial was removed',
    message: `This is about the memorial for ${name}.\n\n`,
  }
  return (
    <article className={`surface ${styles.card}`}>
      <div className={`${styles.picture} ${styles.initials}`} aria-hidden="true">
        {initialsOf(name)}
      </div>
      <div>
        <h2 className={styles.name}>{name}</h2>
        <p className={styles.removed}>This memorial was removed by our team.</p>
      </div>
      {reason !== null && (
        <p className={styles.reason} dir="auto">
          {reason}
        </p>
      )}
      <p className={`small-muted ${styles.kept}`}>
        For now nobody can open it. Nothing is deleted: we keep everything in it.
      </p>
      <div className={`row ${styles.foot}`}>
        <ButtonLink to={links.contact} state={draft} aria-label={`Write to us about ${name}`}>
          Write to us
        </ButtonLink>
      </div>
    </article>
  )
}
