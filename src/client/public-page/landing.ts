/** The small script of the landing page, which never loads the app: every link opens a document of its own. */
import { failedInviteOf } from '#client/lib/failed-invite.ts'
import { fillPath } from '#shared/fill-path.ts'
import { paths } from '#shared/pages/pages.ts'
import { enhanceText } from './in-place.ts'

// The page about a failed invitation was reloaded: ask again, instead of showing the prices.
const failed = failedInviteOf((window.history.state as { usr?: unknown } | null)?.usr)
if (failed) window.location.replace(fillPath(paths.invite, { token: failed.failedInvite }))
enhanceText()
