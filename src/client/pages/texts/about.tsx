import { SERVICE_TITLES } from '#shared/pages/page-titles.ts'
import { paths } from '#shared/pages/pages.ts'
import { links } from '#client/lib/links.ts'
import { ButtonLink } from '#client/ui/button.tsx'
import { Page, PageTitle } from '#client/ui/page.tsx'
import styles from './about.module.css'

const PILLARS = [
  {
    title: 'Respect',
    text: 'The person comes first: their name, their face, their story. There is no advertising on a memorial, and nothing is sold on it.',
  },
  {
    title: 'Simplicity',
    text: 'If you can send a photo, you can make a memorial. One thing at a time, on any phone. You can stop at any step and pick up where you left off.',
  },
  {
    title: 'Permanence',
    text: 'A memorial is paid for once and stays. Its address never changes, so a code cut into stone today can be read by those who come after us.',
  },
  {
    title: 'Family',
    text: 'A family is bigger than one house, and often than one country. One invitation lets everyone bring what they have, and you decide who may see it.',
  },
] as const

export default function AboutPage() {
  return (
    <Page width="reading">
      <PageTitle documentTitle={SERVICE_TITLES[paths.about]}>Built with love in Zimbabwe</PageTitle>
      <div className={styles.story}>
        <p>
          When somebody dies, their photos are on a dozen phones, their voice is in an old message, and one
          aunt remembers the whole story. After the funeral it all goes home in different directions.
        </p>
        <p>
          We made a place to bring them together. One page for one person: who they were, what they did, where
          they rest, and what they meant to the people who knew them. It opens with a link, an invitation, or
          a code on the gravestone.
        </p>
      </div>
      <h2 className={styles.heading}>What we stand for</h2>
      <dl>
        {PILLARS.map(({ title, text }) => (
          <div key={title} className={styles.pillar}>
            <dt>{title}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <div className={`row ${styles.actions}`}>
        <ButtonLink variant="primary" to={links.register}>
          Create a Memorial
        </ButtonLink>
        <ButtonLink to={links.faq}>Questions and answers</ButtonLink>
      </div>
      <p className={`small-muted tall-links ${styles.licences}`}>
        <a href="/licenses.txt">Licences of software and fonts</a>
      </p>
    </Page>
  )
}
