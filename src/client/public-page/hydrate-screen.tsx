import '../styles/base.css'
import { startTransition, useEffect, useState } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { App } from '#client/app.tsx'
import { watchSignOut } from '#client/lib/device.ts'
import { sendPendingMessages } from '#client/lib/offline/send-pending-messages.ts'
import { loadLazyImages } from '#client/lib/print-images.ts'
import { createQueryClient, endpointQuery } from '#client/lib/query-client.ts'
import { watchErrors } from '#client/lib/report-error.ts'
import { PostedFormContext, type PostedForm } from '#client/lib/server-rendering.ts'
import { setSignedOut } from '#client/lib/session.ts'
import { deleteExpired } from '#client/lib/upload/persisted-uploads.ts'
import { loadScreen, screens } from '#client/screens.ts'
import type { Config } from './page-client.ts'

/** Hydrates a written screen with a form. Resolves once the app handles its events; what was typed stays. */
export async function hydrateScreen(root: HTMLElement): Promise<void> {
  const { screen, config, posted } = root.dataset as Record<string, string | undefined>
  const name = screen as keyof typeof screens
  // Before React takes the page: without it the server's form stays, and the browser sends it.
  await loadScreen[name]()
  watchErrors()
  watchSignOut()
  deleteExpired()
  window.addEventListener('beforeprint', loadLazyImages)
  const queryClient = createQueryClient()
  // Only browsers without a session get this page: see `enhanceText` for one that was cached.
  setSignedOut(queryClient)
  queryClient.setQueryData(endpointQuery(api.config, {}).queryKey, JSON.parse(config ?? '') as Config)
  let refused = posted === undefined ? null : (JSON.parse(posted) as PostedForm)
  const release = keepTyped(root)
  const Shown = screens[name]
  await new Promise<void>((resolve) => {
    function Screen() {
      const [first] = useState(refused)
      useEffect(() => {
        // When the person comes back to this screen, it is a new one.
        refused = null
        release()
        resolve()
        sendPendingMessages()
      }, [])
      return (
        <PostedFormContext value={first}>
          <Shown />
        </PostedFormContext>
      )
    }
    startTransition(() => {
      hydrateRoot(
        root,
        <App
          queryClient={queryClient}
          screens={{ ...screens, [name]: Screen }}
          router={(routes) => <BrowserRouter>{routes}</BrowserRouter>}
        />,
        // The address may hold more than what the page was written for, such as a token.
        { onRecoverableError: () => undefined },
      )
    })
  })
}

/** React fills a text area with the server's text when it hydrates it, unless that differs from what React renders. */
function keepTyped(root: HTMLElement): () => void {
  const keep = () => {
    for (const area of root.querySelectorAll('textarea'))
      if (area.defaultValue !== area.value) area.defaultValue = area.value
  }
  keep()
  root.addEventListener('input', keep)
  return () => root.removeEventListener('input', keep)
}
