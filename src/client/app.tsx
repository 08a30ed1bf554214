import { QueryClientProvider, type QueryClient } from '@tanstack/react-query'
import { StrictMode, type ReactNode } from 'react'
import { AppRoutes, type Screens } from '#client/router.tsx'
import { Toaster } from '#client/ui/toaster.tsx'

/** The whole app; `router` provides the location. The server renders it too, so both must give the same elements. */
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
