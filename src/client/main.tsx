import './styles/base.css'
import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router-dom'
import { App } from '#client/app.tsx'
import { watchSignOut } from '#client/lib/device.ts'
import { forgetExpired } from '#client/lib/kept-uploads.ts'
import { createQueryClient } from '#client/lib/query-client.ts'
import { sendMessage } from '#client/lib/send-message.ts'
import { registerServiceWorker } from '#client/lib/service-worker.ts'
import { sendWaiting } from '#client/lib/waiting-messages.ts'
import { screens } from '#client/screens.ts'

const root = document.getElementById('root')
if (!root) throw new Error('The page has no #root')

watchSignOut()
forgetExpired()
createRoot(root).render(
  <App
    queryClient={createQueryClient()}
    screens={screens}
    router={(routes) => <BrowserRouter>{routes}</BrowserRouter>}
  />,
)
registerServiceWorker()

// What was written without a connection goes out now, and whenever there is one again.
const sendWhatWaits = () => void sendWaiting(sendMessage)
window.addEventListener('online', sendWhatWaits)
sendWhatWaits()
