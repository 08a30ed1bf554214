import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { api } from '#shared/api.ts'
import { isProof, proofText } from '#shared/comments/proof-of-work.ts'
import { call } from '#client/lib/call.ts'

/**
 * Shows a proof of work for each of a visitor's messages that was held because many came at once: nothing that anybody has to solve. Returns
 * true if one is on the page now. Whatever fails is tried at the next visit.
 */
export async function proveMessages(slug: string, ids: readonly string[]): Promise<boolean> {
  let isAnyShown = false
  for (const id of ids) {
    try {
      const params = { slug, id }
      const { isShown } = await call(api.proveMessage, { params, body: { nonce: findProof(id) } })
      isAnyShown ||= isShown
    } catch {
      return isAnyShown
    }
  }
  return isAnyShown
}

/** Finds a nonce by trying one after the other. Blocks for as long as that takes. */
export function findProof(challenge: string): string {
  for (let nonce = 0; ; nonce++)
    if (isProof(sha256(utf8ToBytes(proofText(challenge, `${nonce}`))))) return `${nonce}`
}
