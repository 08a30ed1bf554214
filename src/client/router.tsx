import { Suspense, type ComponentType, type ReactNode } from 'react'
import { Navigate, Outlet, Route, Routes, useLocation, useOutletContext } from 'react-router-dom'
import { paths } from '#shared/pages/pages.ts'
import { failedInviteOf } from '#client/lib/failed-invite.ts'
import { useSession } from '#client/lib/session.ts'
import { AppFrame, type FrameContext } from '#client/pages/app-frame.tsx'
import type { screens } from '#client/screens.ts'
import { LoadingScreen } from '#client/ui/page.tsx'
import { ScreenFailed } from '#client/ui/screen-failed.tsx'

/** Screens by name. The server renders one of them and leaves the others out. */
export type Screens = Partial<Record<keyof typeof screens, ComponentType>>

/** Screens for signed-in users. Others must log in first and come back; a user who signs out here goes home. */
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

type HomeScreens = { home: ReactNode; dashboard: ReactNode; invite: ReactNode }
function HomeOrDashboard({ home, dashboard, invite }: HomeScreens): ReactNode {
  const { user, isLoading } = useSession()
  const { state } = useLocation()
  if (isLoading) return <LoadingScreen />
  if (failedInviteOf(state)) return invite
  return user ? dashboard : home
}

export function AppRoutes({ screens: available }: { screens: Screens }) {
  const show = (name: keyof Screens) => {
    const Screen = available[name]
    return Screen && <Screen />
  }
  return (
    <Suspense fallback={<LoadingScreen />}>
      <Routes>
        <Route element={<AppFrame />}>
          <Route
            path={paths.home}
            element={
              <HomeOrDashboard home={show('Home')} dashboard={show('Dashboard')} invite={show('Invite')} />
            }
          />
          <Route path={paths.login} element={show('Login')} />
          <Route path={paths.register} element={show('Register')} />
          <Route path={paths.verifyEmail} element={show('VerifyEmail')} />
          <Route path={paths.forgotPassword} element={show('ForgotPassword')} />
          <Route path={paths.resetPasswordBare} element={show('ResetPassword')} />
          <Route path={paths.resetPassword} element={show('ResetPassword')} />
          <Route path={paths.printedCode} element={show('PrintedCode')} />
          <Route path={paths.confirmEmail} element={show('ConfirmEmail')} />
          <Route path={paths.undoEmail} element={show('UndoEmail')} />
          <Route path={paths.memorial} element={show('Memorial')} />
          <Route path={paths.publicMemorial} element={show('PublicMemorial')} />
          <Route path={paths.visitorWords} element={show('VisitorWords')} />
          <Route path={paths.replies} element={show('Replies')} />
          <Route path={paths.reply} element={show('Reply')} />
          <Route path={paths.again} element={show('Again')} />
          <Route path={paths.askIn} element={show('AskIn')} />
          <Route path={paths.letIn} element={show('LetIn')} />
          <Route path="/memorial/*" element={show('NoMemorial')} />
          <Route path="/m/*" element={show('NoMemorial')} />
          <Route path={paths.invite} element={show('Invite')} />
          <Route path={paths.invitePin} element={show('Invite')} />
          <Route path={paths.admin} element={show('Admin')} />
          <Route path={paths.pay} element={show('Pay')} />
          <Route path={paths.gift} element={show('Gift')} />
          <Route path={paths.redeemBare} element={show('Redeem')} />
          <Route path={paths.redeem} element={show('Redeem')} />
          <Route path={paths.keeperInvite} element={show('Keep')} />
          <Route path={paths.follow} element={show('Follow')} />
          <Route path={paths.confirmFollow} element={show('FollowMail')} />
          <Route path={paths.unfollow} element={show('FollowMail')} />
          <Route path={paths.unsubscribe} element={show('Unsubscribe')} />
          <Route path={paths.successor} element={show('Successor')} />
          <Route path={paths.stillHere} element={show('StillHere')} />
          <Route path={paths.contact} element={show('Contact')} />
          <Route path={paths.requestRemoval} element={show('RequestRemoval')} />
          <Route path={paths.report} element={show('Report')} />
          <Route path={paths.faq} element={show('Faq')} />
          <Route path={paths.about} element={show('About')} />
          <Route path={paths.terms} element={show('Terms')} />
          <Route path={paths.privacy} element={show('Privacy')} />
          <Route element={<RequireSession />}>
            <Route path={paths.dashboard} element={show('Dashboard')} />
            <Route path={paths.createMemorial} element={show('Wizard')} />
            <Route path={paths.editMemorial} element={show('Wizard')} />
            <Route path="/create-memorial/*" element={show('NoMemorial')} />
            <Route path={paths.plaque} element={show('Plaque')} />
            <Route path={paths.checkout} element={show('Checkout')} />
          </Route>
          <Route path="*" element={show('NotFound')} />
        </Route>
      </Routes>
    </Suspense>
  )
}
