import type { QueryClient } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { StaticRouter } from 'react-router-dom'
import { App } from '#client/app.tsx'
import { DataSaverContext } from '#client/lib/server-rendering.ts'
import type { Screens } from '#client/router.tsx'

type AppToRender = {
  queryClient: QueryClient
  /** The screen at this address. */
  screen: Partial<Screens>
  /** Path and query of the request. */
  path: string
  /** True in data saver mode: nothing on the page may need a script. */
  isDataSaver: boolean
}

function NoScreen() {
  return null
}

/** The server renders one screen; the others load with the app. */
const NO_SCREENS: Screens = {
  PublicMemorial: NoScreen,
  Home: NoScreen,
  Login: NoScreen,
  Register: NoScreen,
  VerifyEmail: NoScreen,
  ForgotPassword: NoScreen,
  ResetPassword: NoScreen,
  Dashboard: NoScreen,
  Wizard: NoScreen,
  Checkout: NoScreen,
  Admin: NoScreen,
  Plaque: NoScreen,
  Memorial: NoScreen,
  Invite: NoScreen,
  Contact: NoScreen,
  Faq: NoScreen,
  About: NoScreen,
  Terms: NoScreen,
  Privacy: NoScreen,
  NoMemorial: NoScreen,
  NotFound: NoScreen,
}

/** The app at one address, for server rendering. */
export function appToRender({ queryClient, screen, path, isDataSaver }: AppToRender): ReactElement {
  return (
    <DataSaverContext value={isDataSaver}>
      <App
        queryClient={queryClient}
        screens={{ ...NO_SCREENS, ...screen }}
        router={(routes) => <StaticRouter location={path}>{routes}</StaticRouter>}
      />
    </DataSaverContext>
  )
}
