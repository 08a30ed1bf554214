import '../styles/base.css'
import { startTransition, useEffect } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router-dom'
import type { PublicMemorialView } from '#shared/memorials.ts'
import { App } from '#client/app.tsx'
import { watchSignOut } from '#client/lib/device.ts'
import { deleteExpired } from '#client/lib/upload/persisted-uploads.ts'
import { watchErrors } from '#client/lib/report-error.ts'
import PublicMemorialPage from '#client/pages/public-memorial.tsx'
import { screens } from '#client/screens.ts'
import { pageClient, type Config } from './page-client.ts'

/**
 * Puts the app into the page that the server wrote, element for element; settles once it answers to presses. Where the
 * memorial has changed since, what differs is drawn anew.
 */
export function hydrateApp(root: HTMLElement, view: PublicMemorialView, config: Config): Promise<void> {
  watchErrors()
  watchSignOut()
  deleteExpired()
  const queryClient = pageClient(view, config)
  return new Promise((resolve) => {
    function Screen() {
      // Within what comes last: before, a press would have all of it done in one go.
      useEffect(resolve, [])
      return <PublicMemorialPage />
    }
    // Bit by bit, so that a slow phone answers meanwhile.
    startTransition(() => {
      hydrateRoot(
        root,
        <App
          queryClient={queryClient}
          screens={{ ...screens, PublicMemorial: Screen }}
          router={(routes) => <BrowserRouter>{routes}</BrowserRouter>}
        />,
        // The page may be some minutes older than the view: a like more is no error.
        { onRecoverableError: () => undefined },
      )
    })
  })
}
