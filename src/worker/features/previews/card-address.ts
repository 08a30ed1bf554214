import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { Memorial } from '#shared/memorials.ts'
import { utf8 } from '#worker/platform/bytes.ts'

/** Increase it when the design of the cards changes, so that all of them are rendered again. */
const DESIGN = 1
/** Long enough that two states of one memorial don't collide. */
const HASH_LENGTH = 16

/** The service's own card, shown where there is no public memorial. */
export const NEUTRAL_CARD_PATH = '/card.jpg'

/** What a card shows of a memorial. */
export type CardSubject = Pick<
  Memorial,
  'honoureeFullName' | 'dateOfBirth' | 'dateOfDeath' | 'profileMediaId' | 'coverMediaId'
>

/** A hexadecimal hash of what the card shows: it changes with the name, dates or portrait. */
export function cardHash(memorial: CardSubject): string {
  const { honoureeFullName, dateOfBirth, dateOfDeath, profileMediaId, coverMediaId } = memorial
  const shown = [DESIGN, honoureeFullName, dateOfBirth, dateOfDeath, profileMediaId ?? coverMediaId]
  return bytesToHex(sha256(utf8(JSON.stringify(shown)))).slice(0, HASH_LENGTH)
}

/** Path of a public memorial's card. It includes the hash, because chats cache a preview image by its URL. */
export function cardPath(memorial: CardSubject & Pick<Memorial, 'slug'>): string {
  return `/m/${memorial.slug}/card.jpg?v=${cardHash(memorial)}`
}
