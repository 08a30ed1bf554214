import { deleteAllPersisted } from '#client/lib/upload/persisted-uploads.ts'
import { forgetMessageDrafts } from '#client/lib/offline/message-drafts.ts'
import { stopAllUploads } from '#client/lib/upload/upload-store.ts'
import { forgetKept } from '#client/lib/offline/service-worker.ts'
import { forgetTexts, readText, writeText } from '#client/lib/stored-text.ts'
import { forgetWaiting } from '#client/lib/offline/pending-messages.ts'

/** Before the memorial's id: what this device keeps of an invitation to it. */
export const CONTRIBUTOR_SESSION_PREFIX = 'contributor-session:'
/** When somebody last signed out on this device. */
const SIGNED_OUT = 'signed-out'

let known: string | null = null

/**
 * Somebody signs out: the next person at this device is shown nothing of theirs, in no tab. Begun messages, uploads,
 * invitations and the memorials kept to be read without a connection go; their cookies go with the server's answer. What was typed in the memorial builder stays for its account alone.
 */
export function forgetPerson(): void {
  forgetMessageDrafts()
  stopAllUploads()
  deleteAllPersisted()
  forgetTexts(CONTRIBUTOR_SESSION_PREFIX)
  forgetKept()
  forgetWaiting()
  known = new Date().toISOString()
  writeText(SIGNED_OUT, known)
}

/** Opens this page anew when somebody signed out elsewhere: in another tab, or before Back brought the page from memory. */
export function watchSignOut(): void {
  known = readText(SIGNED_OUT)
  const look = () => {
    if (readText(SIGNED_OUT) === known) return
    document.documentElement.hidden = true
    // Until it has gone, this page neither sends nor keeps what was on its way.
    stopAllUploads()
    deleteAllPersisted()
    forgetKept()
    forgetWaiting()
    window.location.reload()
  }
  window.addEventListener('storage', look)
  window.addEventListener('pageshow', look)
}
