import { deleteAllPersisted } from '#client/lib/upload/persisted-uploads.ts'
import { forgetMessageDrafts } from '#client/lib/offline/message-drafts.ts'
import { stopAllUploads } from '#client/lib/upload/upload-store.ts'
import { forgetKept } from '#client/lib/offline/service-worker.ts'
import { forgetTexts, readText, writeText } from '#client/lib/stored-text.ts'
import { forgetWaiting } from '#client/lib/offline/pending-messages.ts'

/** Prefix of the localStorage key of an invitation; the memorial's id follows. */
export const CONTRIBUTOR_SESSION_PREFIX = 'contributor-session:'
/** localStorage key: when a user last signed out on this device. */
const SIGNED_OUT = 'signed-out'

let known: string | null = null

/**
 * Call this at sign-out. Deletes drafts, uploads, invitations and cached memorials, so that the next user of this
 * device sees none of them in any tab. The server's answer clears the cookies. Wizard texts stay: they belong to
 * their account.
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

/**
 * Reloads this page when the user has signed out in another tab, or before the Back button restored it from memory.
 */
export function watchSignOut(): void {
  known = readText(SIGNED_OUT)
  const look = () => {
    if (readText(SIGNED_OUT) === known) return
    document.documentElement.hidden = true
    // Until the reload, this page must neither send nor store anything.
    stopAllUploads()
    deleteAllPersisted()
    forgetKept()
    forgetWaiting()
    window.location.reload()
  }
  window.addEventListener('storage', look)
  window.addEventListener('pageshow', look)
}
