import '../styles/base.css'
import { QueryObserver, type QueryClient } from '@tanstack/react-query'
import { startTransition, useEffect, type ComponentType } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router-dom'
import { App } from '#client/app.tsx'
import { watchSignOut } from '#client/lib/browser/device.ts'
import { loadLazyImages } from '#client/lib/browser/print-images.ts'
import { isSavingData } from '#client/lib/browser/browser.ts'
import { watchErrors } from '#client/lib/report-error.ts'
import { DataSaverContext, ForViewerContext } from '#client/lib/server-rendering.ts'
import { deleteExpired } from '#client/lib/upload/persisted-uploads.ts'
import { WrittenForContext } from '#client/lib/use-now.ts'
import { screens } from '#client/screens.ts'

type Written = {
  /** With all data that the page shows. */
  queryClient: QueryClient
  /** The screen at this address, and what renders it. */
  name: keyof typeof screens
  Shown: ComponentType
  /** True if the server has written it for this viewer. */
  isForViewer?: boolean
  onHydrated?: () => void
}

/** Hydrates a page that the server has written; React renders what has changed since. Resolves once the app handles events. */
export function hydrateWritten(
  root: HTMLElement,
  { queryClient, name, Shown, isForViewer = false, onHydrated }: Written,
): Promise<void> {
  watchErrors()
  watchSignOut()
  deleteExpired()
  window.addEventListener('beforeprint', loadLazyImages)
  const release = keepData(queryClient)
  return new Promise((resolve) => {
    function Screen() {
      // Resolve inside the screen: an earlier event would make React finish everything in one task.
      useEffect(() => {
        release()
        onHydrated?.()
        resolve()
      }, [])
      return <Shown />
    }
    // Hydrate in small tasks, so that a slow phone stays responsive.
    startTransition(() => {
      hydrateRoot(
        root,
        <ForViewerContext value={isForViewer}>
          <DataSaverContext value={isSavingData()}>
            <WrittenForContext value={Number(root.dataset['for'] ?? 0)}>
              <App
                queryClient={queryClient}
                screens={{ ...screens, [name]: Screen }}
                router={(routes) => <BrowserRouter>{routes}</BrowserRouter>}
              />
            </WrittenForContext>
          </DataSaverContext>
        </ForViewerContext>,
        // The page may be older than the data, or written for less than the address holds: a mismatch is not an error.
        { onRecoverableError: () => undefined },
      )
    })
  })
}

/** Keeps the page's data until the returned function is called: they would expire while a phone sleeps before React uses them. */
function keepData(client: QueryClient): () => void {
  const ends = client
    .getQueryCache()
    .getAll()
    .map(({ queryKey }) => new QueryObserver(client, { queryKey, enabled: false }).subscribe(() => undefined))
  return () => ends.forEach((end) => end())
}
