import type { FunctionComponent, ReactElement, ReactNode } from 'react'
import { useHashTarget } from '#client/lib/browser/window-hooks.ts'
import { Page, PageTitle } from '#client/ui/page.tsx'
import styles from './legal-page.module.css'

type SectionProps = { id: string; title: string; children: ReactNode }

/** One section. {@link LegalPage} reads its properties, numbers it, and lists it in the contents. */
export const LegalSection: FunctionComponent<SectionProps> = () => null

/** A long text with numbered sections and a table of contents; each section can be linked to. */
export function LegalPage({
  title,
  effective,
  summary,
  children,
}: {
  title: string
  /** Calendar date, `2025-09-29`. */
  effective: string
  summary: ReactNode
  children: ReactElement<SectionProps>[]
}) {
  useHashTarget()
  const sections = children.map(({ props }) => props)
  return (
    <Page width="reading">
      <PageTitle>{title}</PageTitle>
      <p className={styles.effective}>
        Effective <time dateTime={effective}>{longDate(effective)}</time>
      </p>
      <div className={styles.summary}>{summary}</div>
      <nav className={styles.contents} aria-labelledby="contents">
        <h2 id="contents">Contents</h2>
        <ol>
          {sections.map((section) => (
            <li key={section.id}>
              <a href={`#${section.id}`}>{section.title}</a>
            </li>
          ))}
        </ol>
      </nav>
      {sections.map((section, index) => (
        <section key={section.id} className={styles.section} aria-labelledby={section.id}>
          <h2 id={section.id}>
            {index + 1}. {section.title}
          </h2>
          {section.children}
        </section>
      ))}
    </Page>
  )
}

function longDate(day: string): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(day))
}
