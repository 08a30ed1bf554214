import { QueryClientProvider, type QueryClient } from '@tanstack/react-query'
import { StrictMode, type ReactNode } from 'react'
import { AppRoutes, type Screens } from '#client/router.tsx'
import { Toaster } from '#client/ui/toaster.tsx'

/**
 * The whole app; `router` puts its routes under an address. The server draws public memorials and the landing page by
 * it, too: what both draw must be the same, element for element.
 */
export function App({
  queryClient,
  screens,
  router,
}: {
  queryClient: QueryClient
  screens: Screens
  router: (routes: ReactNode) => ReactNode
}) {
  return (
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        {router(
          <>
            <AppRoutes screens={screens} />
            <Toaster />
          </>,
        )}
      </QueryClientProvider>
    </StrictMode>
  )
}
