/** The small script of the landing page, which never loads the app: every link opens a document of its own. */
import { registerServiceWorker } from '#client/lib/offline/service-worker.ts'
import { answerCookieNotice } from './cookie-notice.ts'
import { reloadWhenSignedIn } from './leave-when-signed-in.ts'
import { openTarget } from './open-target.ts'
import { toggleInPlace } from './toggle-in-place.ts'

answerCookieNotice()
toggleInPlace()
openTarget()
reloadWhenSignedIn()
registerServiceWorker()
