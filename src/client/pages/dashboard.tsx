import { useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { keeperMessages } from '#shared/keepers/keeper-messages.ts'
import { messages } from '#shared/messages.ts'
import { AccountSettings } from '#client/features/accounts/account-settings.tsx'
import { GiftToOpen } from '#client/features/gifts/gift-to-open.tsx'
import { SendButton } from '#client/features/invites/send-link.tsx'
import { DeletedMemorials, hiddenQuery } from '#client/features/memorials/dashboard/deleted-memorials.tsx'
import { MemorialCard } from '#client/features/memorials/dashboard/memorial-card.tsx'
import { hasNews, NewsLine } from '#client/features/memorials/news.tsx'
import { RemovedMemorialCard } from '#client/features/memorials/dashboard/removed-memorial.tsx'
import { TakeBack } from '#client/features/memorials/keepers/take-back.tsx'
import { PaymentArrival } from '#client/features/payments/payment-arrival.tsx'
import { ThankPayer } from '#client/features/payments/thank-payer.tsx'
import { useCredit, WaitingCredit } from '#client/features/payments/waiting-credit.tsx'
import { links } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { greetingName, useSession } from '#client/lib/session.ts'
import { Button, ButtonLink } from '#client/ui/button.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { Loading, Page, PageTitle, Skeleton } from '#client/ui/page.tsx'
import styles from './dashboard.module.css'

export default function DashboardPage() {
  const { user } = useSession()
  const [search] = useSearchParams()
  const { data, error } = useQuery({ ...endpointQuery(api.dashboard, {}), enabled: user !== null })
  const hidden = useQuery({ ...hiddenQuery, enabled: user !== null })
  const { credit } = useCredit(user !== null)
  if (!user) return null
  const removed = hidden.data?.removed ?? []
  // An owner whose memorial was removed isn't welcomed as if they never had one.
  const isEmpty = data?.memorials.length === 0 && !hidden.isPending && removed.length === 0
  const isArrival = search.get('payment') === 'success'
  const drafts = data?.memorials.filter(({ isPaid }) => !isPaid) ?? []

  if (error) {
    return (
      <Page>
        <PageTitle>{messages.dashboard.failedTitle}</PageTitle>
        <p>{messages.dashboard.failedText}</p>
        <Button variant="primary" onClick={() => window.location.reload()}>
          Try Again
        </Button>
      </Page>
    )
  }
  return (
    <Page>
      <div className={`row ${styles.head}`}>
        <div>
          <PageTitle>My Memorials</PageTitle>
          <p>
            Welcome back, {greetingName(user)}
            {user.isAdmin && (
              <>
                {' · '}
                <Link to={links.admin}>Admin Console</Link>
              </>
            )}
          </p>
        </div>
        <ButtonLink
          {...(isEmpty ? {} : { variant: 'primary' })}
          className={styles.create}
          to={links.createMemorial}
          reloadDocument
        >
          Create Memorial
        </ButtonLink>
      </div>
      {isArrival && <PaymentArrival paymentId={search.get('paymentId')} />}
      {data?.kept?.map((memorial) => (
        <TakeBack key={memorial.id} memorial={memorial} />
      ))}
      <GiftToOpen />
      {data && <ThankPayer memorials={data.memorials} />}
      {/* The arrival offers the next memorial itself. */}
      {data && credit && (drafts.length > 0 || !isArrival) && (
        <WaitingCredit credit={credit} memorials={drafts}>
          {!isArrival && (
            <ButtonLink to={links.createMemorial} reloadDocument>
              {drafts.length > 0 ? 'Begin another memorial' : 'Begin the memorial'}
            </ButtonLink>
          )}
        </WaitingCredit>
      )}
      {(!data || (data.memorials.length === 0 && hidden.isPending)) && <LoadingCards />}
      {/* Above the welcome: who has just deleted a memorial looks for it. */}
      {isEmpty && <DeletedMemorials />}
      {isEmpty && (
        <div className={styles.empty}>
          <h2>{messages.dashboard.emptyTitle}</h2>
          <p>{messages.dashboard.emptyText}</p>
          <Notice>
            <p>We are glad you are here. You can do this a little at a time.</p>
          </Notice>
          <ButtonLink variant="primary" to={links.createMemorial} reloadDocument>
            Create Your First Memorial
          </ButtonLink>
        </div>
      )}
      {data && data.memorials.length + removed.length > 0 && (
        <ul className={styles.list}>
          {data.memorials.map((memorial) => (
            <li key={memorial.id}>
              <MemorialCard
                memorial={memorial}
                hasCredit={credit !== undefined}
                send={<SendButton memorial={memorial} isMain={!hasNews(memorial.news)} />}
              />
            </li>
          ))}
          {removed.map((memorial) => (
            <li key={memorial.id}>
              <RemovedMemorialCard memorial={memorial} />
            </li>
          ))}
        </ul>
      )}
      {data?.kept && (
        <section aria-labelledby="kept">
          <h2 id="kept">You look after these with others</h2>
          <ul className={styles.kept}>
            {data.kept.map(({ id, honoureeFullName, role, news }) => (
              <li key={id}>
                <Link to={links.memorial(id)}>{honoureeFullName}</Link>
                <span className="small-muted"> · {keeperMessages.roles[role]}</span>
                <NewsLine memorialId={id} news={news} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {!isEmpty && <DeletedMemorials />}
      {/* Only after the memorials have loaded, because they would be deleted with the account. */}
      {data && <AccountSettings user={user} memorials={data.memorials} />}
    </Page>
  )
}

function LoadingCards() {
  return (
    <Loading label="Loading your memorials" className={styles.list}>
      <Skeleton height="11rem" />
      <Skeleton height="11rem" />
      <Skeleton height="11rem" />
    </Loading>
  )
}
