import { renderToString } from 'react-dom/server'
import { paths } from '#shared/pages/pages.ts'
import { OriginContext } from '#client/lib/server-rendering.ts'
import HomePage from '#client/pages/home.tsx'
import { appToRender } from './app-to-render.tsx'
import { writtenPageClient, type Config } from './page-client.ts'

type HomeToRender = {
  /** The origin of this site, `https://…` without a slash. */
  origin: string
  config: Config
  isDataSaver: boolean
}

/** Renders the landing page with the app's own components for an anonymous visitor. */
export function renderHome({ origin, config, isDataSaver }: HomeToRender): string {
  const queryClient = writtenPageClient(null, config)
  return renderToString(
    <OriginContext value={origin}>
      {appToRender({ queryClient, screen: { Home: HomePage }, path: paths.home, isDataSaver })}
    </OriginContext>,
  )
}
