import { renderToString } from 'react-dom/server'
import { GUEST_NAME } from '#shared/ids.ts'
import type { StoryNode } from '#shared/memorials/story.ts'
import { SessionOfCookieContext } from '#client/features/invites/contributor-session.ts'
import { ForViewerContext, OriginContext, PlaceholderContext } from '#client/lib/server-rendering.ts'
import { StoryReader } from '#client/lib/story-tree.ts'
import { WrittenForContext } from '#client/lib/use-now.ts'
import { appToRender } from './app-to-render.tsx'
import { memorialOfPage } from './memorial-of-page.tsx'
import { personalClient, type PersonalData } from './personal-client.ts'
import { placeholderSheet } from './placeholder-sheet.ts'

export { PAGE_DATA } from '#client/lib/offline/cache-names.ts'
export type { PostedForm } from '#client/lib/server-rendering.ts'
export type { PersonalData } from './personal-client.ts'

export type PersonalToRender = {
  data: PersonalData
  /** The parsed life story. */
  story: StoryNode[]
  /** The moment that the page is written for, in ms since 1970. */
  writtenFor: number
  /** The invitation of the contributor session in `data`; '' if its owner came by none. */
  sessionInvite: string | null
  /** The invitation in `path`, which is the screen's own address. */
  invite: string | null
  path: string
  /** The origin of this site, `https://…` without a slash. */
  origin: string
  /** True in data saver mode: few images. The script stays. */
  isDataSaver: boolean
  /** Names this page in its forms, so that the server knows one that is sent twice. */
  pageKey: string
}

/** Renders a memorial with the app's own components for one viewer. `styles`: the CSS rules that belong to it. */
export function renderPersonal(page: PersonalToRender): { html: string; styles: string } {
  const { data, story, writtenFor, sessionInvite, invite, path, origin, isDataSaver, pageKey } = page
  const sheet = placeholderSheet()
  const readStory = () => story
  const { own, link } = data
  // Before the app arrives, the page makes a session for its guest.
  const { contributorId, displayName } = own ?? { contributorId: '', displayName: GUEST_NAME }
  const inviteToken = own === null ? link : sessionInvite
  const session = inviteToken === null ? null : { contributorId, displayName, inviteToken }
  const html = renderToString(
    <OriginContext value={origin}>
      <PlaceholderContext value={sheet}>
        <StoryReader value={readStory}>
          <ForViewerContext value>
            <SessionOfCookieContext value={session}>
              <WrittenForContext value={writtenFor}>
                {appToRender({
                  queryClient: personalClient(data, invite),
                  screen: { Memorial: memorialOfPage(data, pageKey).Memorial },
                  path,
                  isDataSaver,
                })}
              </WrittenForContext>
            </SessionOfCookieContext>
          </ForViewerContext>
        </StoryReader>
      </PlaceholderContext>
    </OriginContext>,
  )
  return { html, styles: sheet.styles() }
}
