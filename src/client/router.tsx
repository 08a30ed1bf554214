import { Suspense, type ComponentType, type ReactNode } from 'react'
import { Navigate, Outlet, Route, Routes, useLocation, useOutletContext } from 'react-router-dom'
import { paths } from '#shared/pages.ts'
import { useSession } from '#client/lib/session.ts'
import { AppFrame, type FrameContext } from '#client/pages/app-frame.tsx'
import type { screens } from '#client/screens.ts'
import { LoadingScreen } from '#client/ui/page.tsx'
import { ScreenFailed } from '#client/ui/screen-failed.tsx'

/** Each screen of the app, by name. */
export type Screens = Record<keyof typeof screens, ComponentType>

/**
 * Screens for signed-in users. Others are sent to the login page and then back; a user who signs out here goes home.
 */
function RequireSession() {
  const { user, isLoading, hasFailed } = useSession()
  const { pathname, search } = useLocation()
  const { wasSignedIn } = useOutletContext<FrameContext>()
  if (isLoading) return <LoadingScreen />
  if (user) return <Outlet />
  if (hasFailed) return <ScreenFailed />
  if (wasSignedIn) return <Navigate to={paths.home} replace />
  return <Navigate to={`${paths.login}?next=${encodeURIComponent(pathname + search)}`} replace />
}

function HomeOrDashboard({ screens: page }: { screens: Screens }): ReactNode {
  const { user, isLoading } = useSession()
  if (isLoading) return <LoadingScreen />
  return user ? <page.Dashboard /> : <page.Home />
}

/** The route table. */
export function AppRoutes({ screens: page }: { screens: Screens }) {
  return (
    <Suspense fallback={<LoadingScreen />}>
      <Routes>
        <Route element={<AppFrame />}>
          <Route path={paths.home} element={<HomeOrDashboard screens={page} />} />
          <Route path={paths.login} element={<page.Login />} />
          <Route path={paths.register} element={<page.Register />} />
          <Route path={paths.verifyEmail} element={<page.VerifyEmail />} />
          <Route path={paths.forgotPassword} element={<page.ForgotPassword />} />
          <Route path={paths.resetPasswordBare} element={<page.ResetPassword />} />
          <Route path={paths.resetPassword} element={<page.ResetPassword />} />
          <Route path={paths.memorial} element={<page.Memorial />} />
          <Route path={paths.publicMemorial} element={<page.PublicMemorial />} />
          <Route path="/memorial/*" element={<page.NoMemorial />} />
          <Route path="/m/*" element={<page.NoMemorial />} />
          <Route path={paths.invite} element={<page.Invite />} />
          <Route path={paths.admin} element={<page.Admin />} />
          <Route path={paths.contact} element={<page.Contact />} />
          <Route path={paths.faq} element={<page.Faq />} />
          <Route path={paths.about} element={<page.About />} />
          <Route path={paths.terms} element={<page.Terms />} />
          <Route path={paths.privacy} element={<page.Privacy />} />
          <Route element={<RequireSession />}>
            <Route path={paths.dashboard} element={<page.Dashboard />} />
            <Route path={paths.createMemorial} element={<page.Wizard />} />
            <Route path={paths.editMemorial} element={<page.Wizard />} />
            <Route path="/create-memorial/*" element={<page.NoMemorial />} />
            <Route path={paths.plaque} element={<page.Plaque />} />
            <Route path={paths.checkout} element={<page.Checkout />} />
          </Route>
          <Route path="*" element={<page.NotFound />} />
        </Route>
      </Routes>
    </Suspense>
  )
}
