import type { QueryClient } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { StaticRouter } from 'react-router-dom'
import { App } from '#client/app.tsx'
import { DataSaverContext } from '#client/lib/server-rendering.ts'
import type { Screens } from '#client/router.tsx'

type AppToRender = {
  queryClient: QueryClient
  /** The screen at this address. */
  screen: Screens
  path: string
  /** True in data saver mode: nothing on the page may need a script. */
  isDataSaver: boolean
}

/** The app at one address, for server rendering. */
export function appToRender({ queryClient, screen, path, isDataSaver }: AppToRender): ReactElement {
  return (
    <DataSaverContext value={isDataSaver}>
      <App
        queryClient={queryClient}
        screens={screen}
        router={(routes) => <StaticRouter location={path}>{routes}</StaticRouter>}
      />
    </DataSaverContext>
  )
}
