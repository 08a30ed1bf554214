import { renderToString } from 'react-dom/server'
import type { Media } from '#shared/media/media.ts'
import type { PublicMemorialView } from '#shared/memorials/memorials.ts'
import type { StoryNode } from '#shared/memorials/story.ts'
import { StaticPhoto } from '#client/features/media/static-photo.tsx'
import { OriginContext, PlaceholderContext } from '#client/lib/server-rendering.ts'
import { StoryReader } from '#client/lib/story-tree.ts'
import { WrittenForContext } from '#client/lib/use-now.ts'
import PublicMemorialPage from '#client/pages/memorial/public-memorial.tsx'
import { appToRender } from './app-to-render.tsx'
import { pageClient, type Config } from './page-client.ts'
import { placeholderSheet } from './placeholder-sheet.ts'

export type PageToRender = {
  view: PublicMemorialView
  config: Config
  /** The parsed life story. */
  story: StoryNode[]
  /** The moment that the page is written for, in ms since 1970. */
  writtenFor: number
  /** The photo that the address opens, or null. */
  photo: Media | null
  /** The origin of this site, `https://…` without a slash. */
  origin: string
  path: string
  /** True in data saver mode: nothing on the page may need a script. */
  isDataSaver: boolean
}
/** HTML, and the CSS rules that belong to it. */
export type RenderedPage = { app: string; still: string; styles: string }

/** Renders a public memorial with the app's own components for an anonymous visitor. Needs no browser. */
export function renderPublicPage({
  view,
  config,
  story,
  writtenFor,
  photo,
  origin,
  path,
  isDataSaver,
}: PageToRender): RenderedPage {
  const queryClient = pageClient(view, config)
  const sheet = placeholderSheet()
  const readStory = () => story
  const app = renderToString(
    <OriginContext value={origin}>
      <PlaceholderContext value={sheet}>
        <StoryReader value={readStory}>
          <WrittenForContext value={writtenFor}>
            {appToRender({ queryClient, screen: { PublicMemorial: PublicMemorialPage }, path, isDataSaver })}
          </WrittenForContext>
        </StoryReader>
      </PlaceholderContext>
    </OriginContext>,
  )
  const still = photo
    ? renderToString(
        <PlaceholderContext value={sheet}>
          <StaticPhoto photo={photo} view={view} path={path} isDataSaver={isDataSaver} />
        </PlaceholderContext>,
      )
    : ''
  return { app, still, styles: sheet.styles() }
}
