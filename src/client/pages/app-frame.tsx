import { Suspense } from 'react'
import { Outlet } from 'react-router-dom'

/** Header, the screen, footer. */
export function AppFrame() {
  return (
    <Suspense fallback={null}>
      <main id="main">
        <Outlet />
      </main>
    </Suspense>
  )
}
