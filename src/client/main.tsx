import './styles/base.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { BrowserRouter } from 'react-router-dom'
import { watchSignOut } from '#client/lib/device.ts'
import { forgetExpired } from '#client/lib/kept-uploads.ts'
import { createQueryClient } from '#client/lib/query-client.ts'
import { registerServiceWorker } from '#client/lib/service-worker.ts'
import { AppRoutes } from '#client/router.tsx'
import { Toaster } from '#client/ui/toaster.tsx'

const root = document.getElementById('root')
if (!root) throw new Error('The page has no #root')

watchSignOut()
forgetExpired()
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={createQueryClient()}>
      <BrowserRouter>
        <AppRoutes />
        <Toaster />
      </BrowserRouter>
    </QueryClientProvider>
  </StrictMode>,
)
registerServiceWorker()
