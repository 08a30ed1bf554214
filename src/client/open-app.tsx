import './styles/base.css'
import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router-dom'
import { App } from '#client/app.tsx'
import { watchSignOut } from '#client/lib/browser/device.ts'
import { deleteExpired } from '#client/lib/upload/persisted-uploads.ts'
import { isSavingData } from '#client/lib/browser/browser.ts'
import { loadLazyImages } from '#client/lib/browser/print-images.ts'
import { createQueryClient } from '#client/lib/query-client.ts'
import { sendPendingMessages } from '#client/lib/offline/send-pending-messages.ts'
import { watchErrors } from '#client/lib/report-error.ts'
import { registerServiceWorker } from '#client/lib/offline/service-worker.ts'
import { DataSaverContext } from '#client/lib/server-rendering.ts'
import { screens } from '#client/screens.ts'

/** Opens the app in this element, in place of what it holds. */
export function openApp(root: HTMLElement): void {
  watchErrors()
  watchSignOut()
  deleteExpired()
  window.addEventListener('beforeprint', loadLazyImages)
  // Rendered in one task, so that the words for browsers without script give way to the app in one frame.
  flushSync(() =>
    createRoot(root).render(
      // The choice changes only with a new document: see the form in the footer.
      <DataSaverContext value={isSavingData()}>
        <App
          queryClient={createQueryClient()}
          screens={screens}
          router={(routes) => <BrowserRouter>{routes}</BrowserRouter>}
        />
      </DataSaverContext>,
    ),
  )
  document.querySelector('#without-script')?.remove()
  registerServiceWorker()
  sendPendingMessages()
}
