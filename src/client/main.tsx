import './styles/base.css'
import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router-dom'
import { App } from '#client/app.tsx'
import { watchSignOut } from '#client/lib/device.ts'
import { deleteExpired } from '#client/lib/upload/persisted-uploads.ts'
import { createQueryClient } from '#client/lib/query-client.ts'
import { sendPendingMessages } from '#client/lib/offline/send-pending-messages.ts'
import { watchErrors } from '#client/lib/report-error.ts'
import { registerServiceWorker } from '#client/lib/offline/service-worker.ts'
import { screens } from '#client/screens.ts'

const root = document.getElementById('root')
if (!root) throw new Error('The page has no #root')

watchErrors()
watchSignOut()
deleteExpired()
createRoot(root).render(
  <App
    queryClient={createQueryClient()}
    screens={screens}
    router={(routes) => <BrowserRouter>{routes}</BrowserRouter>}
  />,
)
registerServiceWorker()
sendPendingMessages()
