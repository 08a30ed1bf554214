import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { SERVICE_TITLES } from '#shared/pages/page-titles.ts'
import { paths } from '#shared/pages/pages.ts'
import { QuestionList, questions } from '#client/features/landing/questions.tsx'
import { links } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { ButtonAnchor } from '#client/ui/button.tsx'
import { Page, PageTitle } from '#client/ui/page.tsx'
import styles from './faq.module.css'

export default function FaqPage() {
  const { data: config } = useQuery(endpointQuery(api.config, {}))
  return (
    <Page width="reading">
      <PageTitle>{SERVICE_TITLES[paths.faq]}</PageTitle>
      <QuestionList items={Object.values(questions)} />
      <section className={styles.help} aria-labelledby="help">
        <h2 id="help">Something else?</h2>
        <p>
          Write to us with the <Link to={links.contact}>contact form</Link>, or send an email.
        </p>
        <p>
          Should something be removed from a memorial?{' '}
          <Link to={links.requestRemoval}>Ask us to remove it</Link>.
        </p>
        {config && (
          <ButtonAnchor href={`mailto:${config.supportEmail}`}>Email {config.supportEmail}</ButtonAnchor>
        )}
      </section>
    </Page>
  )
}
