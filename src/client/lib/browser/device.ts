import { deleteAllMessageDrafts } from '#client/lib/offline/message-drafts.ts'
import { deleteAllPendingMessages } from '#client/lib/offline/pending-messages.ts'
import { forgetCachedMemorials } from '#client/lib/offline/service-worker.ts'
import {
  CONTRIBUTOR_SESSION_PREFIX,
  FORMER_CONTRIBUTOR_PREFIX,
  PAYER_PREFIX,
  removeTextsByPrefix,
  readText,
  SIGNED_OUT,
  writeText,
} from '#client/lib/browser/stored-text.ts'
import { deleteAllPersisted } from '#client/lib/upload/persisted-uploads.ts'
import { stopAllUploads } from '#client/lib/upload/upload-list.ts'

/** localStorage key: the address that registered on this device and is not confirmed yet. */
export const REGISTERED_EMAIL = 'registered-email'

let knownSignOut: string | null = null

/**
 * Call this at sign-out. Deletes drafts, uploads, invitations and cached memorials, so that the next user of this
 * device sees none of them in any tab. The server's answer clears the cookies. Wizard texts stay: they belong to
 * their account.
 */
export function deleteUserData(): void {
  deleteAllMessageDrafts()
  stopAllUploads()
  deleteAllPersisted()
  removeTextsByPrefix(CONTRIBUTOR_SESSION_PREFIX)
  removeTextsByPrefix(FORMER_CONTRIBUTOR_PREFIX)
  removeTextsByPrefix(PAYER_PREFIX)
  removeTextsByPrefix(REGISTERED_EMAIL)
  forgetCachedMemorials()
  deleteAllPendingMessages()
  knownSignOut = new Date().toISOString()
  writeText(SIGNED_OUT, knownSignOut)
}

/** Reloads this page after a sign-out in another tab, or one before the Back button restored the page from memory. */
export function watchSignOut(): void {
  knownSignOut = readText(SIGNED_OUT)
  const check = () => {
    if (readText(SIGNED_OUT) === knownSignOut) return
    document.documentElement.hidden = true
    // Until the reload, this page must neither send nor store anything.
    stopAllUploads()
    deleteAllPersisted()
    forgetCachedMemorials()
    deleteAllPendingMessages()
    window.location.reload()
  }
  window.addEventListener('storage', check)
  window.addEventListener('pageshow', check)
}
