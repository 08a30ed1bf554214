import { renderToString } from 'react-dom/server'
import type { AppError } from '#shared/errors.ts'
import { documentTitle } from '#shared/pages/page-titles.ts'
import { explainFailedInvite, InviteFailed } from '#client/features/invites/invite-failed.tsx'
import { MemorialError } from '#client/features/memorials/page/memorial-error.tsx'
import { ApiError } from '#client/lib/call.ts'
import type { FailedInvite } from '#client/lib/failed-invite.ts'
import { DocumentTitleContext, ForViewerContext, OriginContext } from '#client/lib/server-rendering.ts'
import type { Screens } from '#client/router.tsx'
import { appToRender } from './app-to-render.tsx'
import { writtenPageClient, type Config } from './page-client.ts'

export { REFUSED_PAGE } from '#client/lib/offline/cache-names.ts'

export type RefusedToRender = {
  /** As the API's call refuses. */
  error: AppError
  /** The invitation that does not open, or null for the address of a memorial. */
  inviteToken: string | null
  /** Where one asks the family to be let in; null where they take no requests. */
  askPath: string | null
  /** The origin of this site, `https://…` without a slash. */
  origin: string
  config: Config
  isDataSaver: boolean
}

/**
 * What the small script shows outside the page. `title`: of the document; its head says nothing about a memorial. `failed`: state of
 * the entry in the history for an invitation, without the token, which is in the address.
 */
export type RefusedData = { title: string; failed: Omit<FailedInvite, 'failedInvite'> | null }

/** Renders why a visitor may not see a memorial, with the app's own components. */
export function renderRefused({
  error,
  inviteToken,
  askPath,
  origin,
  config,
  isDataSaver,
}: RefusedToRender): {
  html: string
  data: RefusedData
} {
  const { status, code, message } = error
  const refusal = new ApiError(status, JSON.stringify({ code, message }), '')
  const queryClient = writtenPageClient(null, config)
  const failed = inviteToken === null ? null : explainFailedInvite(inviteToken, refusal)
  const screen: Screens = failed
    ? { Invite: () => <InviteFailed {...failed} /> }
    : { NoMemorial: () => <MemorialError error={refusal} askPath={askPath} onRetry={() => undefined} /> }
  // An address of the same kind, so that neither a token nor an id gets into the page.
  const path = failed ? '/invite/unknown' : '/memorial/unknown/unknown'
  const collected = { title: null }
  const html = renderToString(
    <OriginContext value={origin}>
      <DocumentTitleContext value={collected}>
        <ForViewerContext value>{appToRender({ queryClient, screen, path, isDataSaver })}</ForViewerContext>
      </DocumentTitleContext>
    </OriginContext>,
  )
  return { html, data: { title: documentTitle(collected.title), failed: failed && withoutToken(failed) } }
}

function withoutToken({ title, text, mayRetry }: FailedInvite): RefusedData['failed'] {
  return { title, text, mayRetry }
}
