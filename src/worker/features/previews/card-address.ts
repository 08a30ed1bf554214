import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { Memorial } from '#shared/memorials.ts'
import { utf8 } from '#worker/platform/bytes.ts'

/** Raised when cards look different, so that every one is made anew. */
const DESIGN = 1
/** Enough that no two states of one memorial meet. */
const MARK_LENGTH = 16

/** Of the neutral card: the service's own, where there is no public memorial. */
export const NEUTRAL_CARD_PATH = '/card.jpg'

/** What a card shows of a memorial. */
export type CardSubject = Pick<
  Memorial,
  'honoureeFullName' | 'dateOfBirth' | 'dateOfDeath' | 'profileMediaId' | 'coverMediaId'
>

/** A mark of what the card shows: another name, date or portrait is another card. Hexadecimal. */
export function cardMark(memorial: CardSubject): string {
  const { honoureeFullName, dateOfBirth, dateOfDeath, profileMediaId, coverMediaId } = memorial
  const shown = [DESIGN, honoureeFullName, dateOfBirth, dateOfDeath, profileMediaId ?? coverMediaId]
  return bytesToHex(sha256(utf8(JSON.stringify(shown)))).slice(0, MARK_LENGTH)
}

/** Where the card of a public memorial is. What it shows is part of the address: chats keep a picture by its address. */
export function cardPath(memorial: CardSubject & Pick<Memorial, 'slug'>): string {
  return `/m/${memorial.slug}/card.jpg?v=${cardMark(memorial)}`
}
