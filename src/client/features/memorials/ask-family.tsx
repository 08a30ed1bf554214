import type { Memorial } from '#shared/memorials/memorials.ts'
import { firstNameOf } from '#shared/pages/page-titles.ts'
import { links, whatsAppLink } from '#client/lib/links.ts'
import { useOwnOrigin } from '#client/lib/server-rendering.ts'
import { sharePage } from '#client/lib/browser/share-page.ts'
import { ButtonAnchor } from '#client/ui/button.tsx'
import styles from './ask-family.module.css'

/** The end of a public memorial, for visitors: how to take part, and how to share it. Without a script it shares by WhatsApp. */
export function AskFamily({ memorial: { honoureeFullName: name, slug } }: { memorial: Memorial }) {
  const address = useOwnOrigin() + links.publicMemorial(slug)
  return (
    <aside className={styles.ask} aria-label="Take part" data-print="no">
      <p>Knew {firstNameOf(name)}? Ask the family for their invitation to add your own.</p>
      <div className="row">
        <ButtonAnchor
          href={whatsAppLink(`${name}: ${address}`)}
          data-share={address}
          onClick={(event) => {
            event.preventDefault()
            void sharePage(event.currentTarget)
          }}
        >
          Share
        </ButtonAnchor>
        {/* `sharePage` writes into it. */}
        <span role="status" />
      </div>
      <p className="small-muted">
        Is something here yours, or does it show you?{' '}
        <a href={links.requestRemovalFrom(slug)}>Ask us to remove it</a>
      </p>
    </aside>
  )
}
