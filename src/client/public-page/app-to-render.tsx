import type { QueryClient } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { StaticRouter } from 'react-router-dom'
import { App } from '#client/app.tsx'
import { DataSaverContext } from '#client/lib/data-saver.ts'
import type { Screens } from '#client/router.tsx'

type AppToRender = {
  queryClient: QueryClient
  /** The one that this address shows. */
  screen: Partial<Screens>
  /** Path and query, as asked for. */
  path: string
  /** For somebody who uses less data: nothing in it waits for a script. */
  isDataSaver: boolean
}

function NoScreen() {
  return null
}

/** One screen is drawn on the server; others come with the app. */
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

/** The app at one address, to be drawn where there is no browser. */
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
