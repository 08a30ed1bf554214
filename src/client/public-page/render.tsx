import { renderToString } from 'react-dom/server'
import { StaticRouter } from 'react-router-dom'
import type { Media } from '#shared/media.ts'
import type { PublicMemorialView } from '#shared/memorials.ts'
import type { StoryNode } from '#shared/story.ts'
import { App } from '#client/app.tsx'
import { LiteContext } from '#client/lib/lite.ts'
import { PlaceholderContext } from '#client/lib/placeholders.ts'
import { StoryReader } from '#client/lib/story-tree.ts'
import { PhotoStill } from '#client/features/media/photo-still.tsx'
import PublicMemorialPage from '#client/pages/public-memorial.tsx'
import type { Screens } from '#client/router.tsx'
import { pageClient, type Config } from './page-client.ts'

export type PageToRender = {
  view: PublicMemorialView
  config: Config
  /** The life story, read. */
  story: StoryNode[]
  /** The photograph that the address asks for, or null. */
  photo: Media | null
  /** Path and query, as asked for. */
  path: string
  /** For somebody who uses less data: nothing in it waits for a script. */
  isLite: boolean
}
/** HTML, and rules of style that belong to it. */
export type RenderedPage = { app: string; still: string; styles: string }

/** React asks for the portrait before all else; it stands a few lines below, and does so itself. */
const PORTRAIT_WISH = /^<link rel="preload" as="image"[^>]*>/u

/** What a style may hold of what is stored: a picture in itself, and no other text. */
const PICTURE = /^data:image\/[a-z]+;base64,[\w+/=]+$/u

function NoScreen() {
  return null
}

/** One screen is drawn on the server; others come with the app. */
const SCREENS: Screens = {
  PublicMemorial: PublicMemorialPage,
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

/** Draws a public memorial by the app's own components, for a visitor of whom nothing is known. Needs no browser. */
export function renderPublicPage({ view, config, story, photo, path, isLite }: PageToRender): RenderedPage {
  const queryClient = pageClient(view, config)
  const placeholders = new Map<string, string>()
  const sheet = {
    add(placeholder: string) {
      if (!PICTURE.test(placeholder)) return ''
      const name = placeholders.get(placeholder) ?? `soft-${placeholders.size}`
      placeholders.set(placeholder, name)
      return name
    },
  }
  const readStory = () => story
  const app = renderToString(
    <LiteContext value={isLite}>
      <PlaceholderContext value={sheet}>
        <StoryReader value={readStory}>
          <App
            queryClient={queryClient}
            screens={SCREENS}
            router={(routes) => <StaticRouter location={path}>{routes}</StaticRouter>}
          />
        </StoryReader>
      </PlaceholderContext>
    </LiteContext>,
  )
  const still = photo
    ? renderToString(
        <PlaceholderContext value={sheet}>
          <PhotoStill photo={photo} view={view} path={path} isLite={isLite} />
        </PlaceholderContext>,
      )
    : ''
  const styles = [...placeholders].map(([uri, name]) => `.${name}{background-image:url("${uri}")}`).join('')
  return { app: app.replace(PORTRAIT_WISH, ''), still, styles }
}
