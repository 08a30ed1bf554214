import { Suspense, useEffect, useRef, useState } from 'react'
import { Outlet, useLocation, useNavigate } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { CookieBanner } from '#client/features/chrome/cookie-banner.tsx'
import { SiteFooter } from '#client/features/chrome/site-footer.tsx'
import { SiteHeader } from '#client/features/chrome/site-header.tsx'
import { call } from '#client/lib/call.ts'
import { deleteUserData } from '#client/lib/browser/device.ts'
import { links } from '#client/lib/links.ts'
import { useRefreshAfterOffline } from '#client/lib/offline/use-offline.ts'
import { useClearSession, useRefreshSession, useSession } from '#client/lib/session.ts'
import { showToast, showFailure } from '#client/lib/toast-store.ts'
import { useTopOnNavigation } from '#client/lib/browser/window-hooks.ts'
import { hasNavigated, LoadingScreen } from '#client/ui/page.tsx'
import { ScreenBoundary } from '#client/ui/screen-failed.tsx'
import styles from './app-frame.module.css'

/** State that the frame keeps for its screens, which unmount and load lazily. */
export type FrameContext = { wasSignedIn: boolean }

/** The frame of every screen: skip link, header, footer, cookie notice. */
export function AppFrame() {
  const { user } = useSession()
  const navigate = useNavigate()
  const [wasSignedIn, setWasSignedIn] = useState(false)
  if (user && !wasSignedIn) setWasSignedIn(true)
  const forgetSession = useClearSession()
  const refreshSession = useRefreshSession()
  const { pathname, key } = useLocation()
  useTopOnNavigation()
  useRefreshAfterOffline()
  useEffect(() => void hasNavigated(key))
  const shown = useRef(pathname)
  useEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    if (wasSignedIn && !user) forgetSession()
  }, [pathname, wasSignedIn, user, forgetSession])

  /** Logs out and goes home, even if the call fails, and clears all data loaded for this user. */
  async function logout(): Promise<void> {
    try {
      await call(api.logout, {})
      showToast({ title: messages.login.out })
      leave()
    } catch (error) {
      showFailure(messages.logout.failedTitle, error)
      leave()
      // Ask the server again: the user may still be signed in.
      await refreshSession()
    }
  }

  function leave(): void {
    void navigate(links.home)
    deleteUserData()
    forgetSession()
  }

  return (
    <div className={styles.frame}>
      <a className={styles.skip} href="#main">
        Skip to main content
      </a>
      <SiteHeader user={user} onLogout={() => void logout()} />
      <main id="main" className={styles.main} tabIndex={-1}>
        <Suspense fallback={<LoadingScreen />}>
          <ScreenBoundary pathname={pathname}>
            <Outlet context={{ wasSignedIn } satisfies FrameContext} />
          </ScreenBoundary>
        </Suspense>
      </main>
      <SiteFooter />
      <CookieBanner />
    </div>
  )
}
