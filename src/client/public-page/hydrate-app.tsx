import '../styles/base.css'
import { startTransition, useEffect } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router-dom'
import type { PublicMemorialView } from '#shared/memorials.ts'
import { App } from '#client/app.tsx'
import { watchSignOut } from '#client/lib/device.ts'
import { watchErrors } from '#client/lib/report-error.ts'
import { deleteExpired } from '#client/lib/upload/persisted-uploads.ts'
import PublicMemorialPage from '#client/pages/public-memorial.tsx'
import { screens } from '#client/screens.ts'
import { pageClient, type Config } from './page-client.ts'

/** Hydrates the server-rendered page; React renders what has changed since. Resolves once the app handles events. */
export function hydrateApp(root: HTMLElement, view: PublicMemorialView, config: Config): Promise<void> {
  watchErrors()
  watchSignOut()
  deleteExpired()
  const queryClient = pageClient(view, config)
  return new Promise((resolve) => {
    function Screen() {
      // Resolve inside the last component to hydrate: an earlier event would make React finish everything in one
      // task.
      useEffect(resolve, [])
      return <PublicMemorialPage />
    }
    // Hydrate in small tasks, so that a slow phone stays responsive.
    startTransition(() => {
      hydrateRoot(
        root,
        <App
          queryClient={queryClient}
          screens={{ ...screens, PublicMemorial: Screen }}
          router={(routes) => <BrowserRouter>{routes}</BrowserRouter>}
        />,
        // The page may be some minutes older than the view, so a mismatch such as one more like is not an error.
        { onRecoverableError: () => undefined },
      )
    })
  })
}
