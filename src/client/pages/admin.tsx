import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { useLocation, useSearchParams } from 'react-router-dom'
import { messages } from '#shared/messages.ts'
import { AdminTabs, TabBoundary, tabOf, type Refusal, type Tab } from '#client/features/admin/admin-tabs.tsx'
import { MemorialsTab } from '#client/features/admin/memorials-tab.tsx'
import { OverviewTab } from '#client/features/admin/overview-tab.tsx'
import { PaymentsTab } from '#client/features/admin/payments-tab.tsx'
import { SystemTab } from '#client/features/admin/system-tab.tsx'
import { TokensTab } from '#client/features/admin/tokens-tab.tsx'
import { links } from '#client/lib/links.ts'
import { useClearSession, useSession } from '#client/lib/session.ts'
import { ButtonLink } from '#client/ui/button.tsx'
import { LoadingScreen, Page, PageTitle } from '#client/ui/page.tsx'
import { ScreenFailed } from '#client/ui/screen-failed.tsx'

// Once a day: its script loads when it's asked for.
const SecondFactor = lazy(() => import('#client/features/accounts/second-factor.tsx'))

const PANELS: Record<Tab['key'], () => React.ReactNode> = {
  overview: OverviewTab,
  memorials: MemorialsTab,
  payments: PaymentsTab,
  'invite-tokens': TokensTab,
  system: SystemTab,
}

/** `/admin`: access depends on what the server says about this user, never on the URL. */
export default function AdminPage() {
  const { user, isLoading, hasFailed } = useSession()
  const [refused, setRefused] = useState<Refusal | null>(null)
  const client = useQueryClient()
  const clearSession = useClearSession()
  if (isLoading) {
    return (
      <Page>
        <LoadingScreen />
      </Page>
    )
  }
  if (hasFailed) return <ScreenFailed />
  if (!user || refused === 401) return <AuthenticationRequired />
  if (!user.isAdmin || refused === 403) return <Denied />
  if (refused === 'second-factor') {
    return (
      <Page width="reading">
        <PageTitle takesFocus>One more step</PageTitle>
        <p>
          The console shows other people’s memorials, so a password alone doesn’t open it. Please use a
          passkey or an authenticator app.
        </p>
        <Suspense fallback={<LoadingScreen />}>
          <SecondFactor
            onDone={() => {
              // What was refused is asked again.
              client.removeQueries({ predicate: ({ state }) => state.status === 'error' })
              setRefused(null)
            }}
          />
        </Suspense>
      </Page>
    )
  }
  return (
    <Console
      onRefused={(status) => {
        setRefused(status)
        // The session has ended. Clear it here, or the login screen would redirect back to this page.
        if (status === 401) clearSession()
      }}
    />
  )
}

function Console({ onRefused }: { onRefused: (refusal: Refusal) => void }) {
  const [search, setSearch] = useSearchParams()
  const open = tabOf(search)
  const Panel = PANELS[open.key]
  return (
    <Page>
      <PageTitle documentTitle={`${open.label} · Admin Console`}>Admin Console</PageTitle>
      <AdminTabs open={open} onOpen={({ key }) => setSearch(key === 'overview' ? {} : { tab: key })}>
        <TabBoundary key={open.key} onRefused={onRefused}>
          <Panel />
        </TabBoundary>
      </AdminTabs>
    </Page>
  )
}

function AuthenticationRequired() {
  const { pathname, search } = useLocation()
  return (
    <Page width="reading">
      <PageTitle takesFocus>{messages.admin.authenticationRequired}</PageTitle>
      <p>{messages.admin.authenticationText}</p>
      <ButtonLink variant="primary" to={`${links.login}?next=${encodeURIComponent(pathname + search)}`}>
        Login
      </ButtonLink>
    </Page>
  )
}

function Denied() {
  return (
    <Page width="reading">
      <PageTitle takesFocus>{messages.admin.denied}</PageTitle>
      <p>{messages.admin.deniedText}</p>
      <ButtonLink variant="primary" to={links.dashboard}>
        Go to your dashboard
      </ButtonLink>
    </Page>
  )
}
