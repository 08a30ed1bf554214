import '../styles/base.css'
import type { QueryClient } from '@tanstack/react-query'
import { startTransition, useEffect, type ComponentType } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router-dom'
import { App } from '#client/app.tsx'
import { watchSignOut } from '#client/lib/device.ts'
import { loadLazyImages } from '#client/lib/print-images.ts'
import { isSavingData } from '#client/lib/browser.ts'
import { watchErrors } from '#client/lib/report-error.ts'
import { DataSaverContext } from '#client/lib/server-rendering.ts'
import { deleteExpired } from '#client/lib/upload/persisted-uploads.ts'
import { screens } from '#client/screens.ts'

type Written = {
  /** With all data that the page shows. */
  queryClient: QueryClient
  /** The screen at this address, and what renders it. */
  name: keyof typeof screens
  Shown: ComponentType
  onHydrated?: () => void
}

/** Hydrates a page that the server has written; React renders what has changed since. Resolves once the app handles events. */
export function hydrateWritten(
  root: HTMLElement,
  { queryClient, name, Shown, onHydrated }: Written,
): Promise<void> {
  watchErrors()
  watchSignOut()
  deleteExpired()
  window.addEventListener('beforeprint', loadLazyImages)
  return new Promise((resolve) => {
    function Screen() {
      // Resolve inside the last component to hydrate: an earlier event would make React finish everything in one
      // task.
      useEffect(() => {
        onHydrated?.()
        resolve()
      }, [])
      return <Shown />
    }
    // Hydrate in small tasks, so that a slow phone stays responsive.
    startTransition(() => {
      hydrateRoot(
        root,
        <DataSaverContext value={isSavingData()}>
          <App
            queryClient={queryClient}
            screens={{ ...screens, [name]: Screen }}
            router={(routes) => <BrowserRouter>{routes}</BrowserRouter>}
          />
        </DataSaverContext>,
        // The page may be older than the data, or written for less than the address holds: a mismatch is not an error.
        { onRecoverableError: () => undefined },
      )
    })
  })
}
