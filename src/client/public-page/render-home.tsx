import { renderToString } from 'react-dom/server'
import { paths } from '#shared/pages.ts'
import { createQueryClient } from '#client/lib/query-client.ts'
import { OriginContext } from '#client/lib/server-rendering.ts'
import { setSignedOut } from '#client/lib/session.ts'
import HomePage from '#client/pages/home.tsx'
import { appToRender } from './app-to-render.tsx'

/** Renders the landing page with the app's own components for an anonymous visitor. `origin` is this site's. */
export function renderHome({ origin, isDataSaver }: { origin: string; isDataSaver: boolean }): string {
  const queryClient = createQueryClient()
  setSignedOut(queryClient)
  return renderToString(
    <OriginContext value={origin}>
      {appToRender({ queryClient, screen: { Home: HomePage }, path: paths.home, isDataSaver })}
    </OriginContext>,
  )
}
