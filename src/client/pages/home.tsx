import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { PRICE_TEXT } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { SERVICE_TITLES } from '#shared/pages/page-titles.ts'
import { paths } from '#shared/pages/pages.ts'
import { FeatureImage, Features } from '#client/features/landing/features.tsx'
import { QuestionList, questions } from '#client/features/landing/questions.tsx'
import { Inclusions, Price } from '#client/features/payments/price.tsx'
import { links } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { useDataSaver } from '#client/lib/server-rendering.ts'
import { ButtonLink } from '#client/ui/button.tsx'
import { Page, PageTitle } from '#client/ui/page.tsx'
import styles from './home.module.css'

const INCLUDED = [
  'Complete setup',
  'Unlimited contributors by invitation',
  'Photo, video and audio sharing',
  'QR code for the grave',
  'Permanent preservation',
  'Privacy controls',
] as const

/** The landing page, for people who are not signed in. */
export default function HomePage() {
  const isDataSaver = useDataSaver()
  const { data: config } = useQuery(endpointQuery(api.config, {}))
  return (
    <Page>
      <div className={styles.hero}>
        <div>
          <PageTitle documentTitle={SERVICE_TITLES[paths.home]}>A lasting place for their story</PageTitle>
          <p className={styles.lead}>
            One page for the person who died, with their story, their photos and the words of everyone who
            knew them.
          </p>
          <p className={styles.price}>US{PRICE_TEXT} once. No monthly fee.</p>
          <div className={`row ${styles.actions}`}>
            <ButtonLink variant="primary" to={links.register}>
              Create a Memorial
            </ButtonLink>
            <ButtonLink to={links.about}>Learn More</ButtonLink>
          </div>
          {config?.exampleSlug && (
            <p className={`tall-links ${styles.example}`}>
              <Link to={links.publicMemorial(config.exampleSlug)}>See an example</Link>
            </p>
          )}
        </div>
        <FeatureImage
          eager
          name="table"
          caption="At the table in Mutare or on a phone in Leeds: one link for the whole family."
        />
      </div>

      {!isDataSaver && (
        <div className={styles.pair}>
          <FeatureImage
            name="album"
            caption="Your aunt has photos nobody else has. She can add them herself, wherever she is."
          />
          <FeatureImage name="stone" caption="Anyone standing at the grave can read their story." />
        </div>
      )}

      <section className={styles.section} aria-labelledby="features">
        <h2 id="features">What’s in a memorial</h2>
        <Features />
      </section>

      <section className={`${styles.section} ${styles.offer}`} aria-labelledby="pricing">
        <div>
          <h2 id="pricing">One price, paid once</h2>
          <p className={styles.lead}>
            You can begin before you pay, and take your time. You pay when you are ready to share.
          </p>
          <p className={styles.ways}>
            {config?.hasLocalPayments
              ? 'Pay by card, EcoCash, OneMoney, InnBucks, O’mari or Zimswitch.'
              : `Pay by card. ${messages.payment.paynowUnavailable}`}
          </p>
        </div>
        <div className={`surface ${styles.card}`}>
          <Price />
          <Inclusions items={INCLUDED} />
          <ButtonLink variant="primary" wide to={links.login}>
            Get Started Today
          </ButtonLink>
          <p className={`tall-links ${styles.more}`}>
            <Link to={links.gift}>Give a memorial to somebody</Link>
          </p>
        </div>
      </section>

      <section className={`${styles.section} ${styles.questions}`} aria-labelledby="questions">
        <h2 id="questions">Questions</h2>
        <div>
          <QuestionList items={[questions.monthlyFee, questions.app, questions.privacy]} />
          <p className={`tall-links ${styles.more}`}>
            <Link to={links.faq}>All questions and answers</Link>
          </p>
        </div>
      </section>

      <section className={styles.closing} aria-labelledby="closing">
        <h2 id="closing">{messages.dashboard.emptyText}</h2>
        <ButtonLink variant="primary" to={links.login}>
          Begin a memorial
        </ButtonLink>
      </section>
    </Page>
  )
}
