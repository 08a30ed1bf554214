import { forgetTexts, readText, removeText, writeText } from '#client/lib/stored-text.ts'

/**
 * What was typed on this page, by memorial. It is of who sits here, whatever name they give meanwhile; what is found on the
 * device is of its writer alone.
 */
const typedHere = new Map<string, string>()

const PREFIX = 'message-draft:'

function keyOf(writerId: string, memorialId: string): string {
  return `${PREFIX}${writerId}:${memorialId}`
}

/** The message that this writer has begun, or ''. What was typed on this page since it was opened comes first, and goes along. */
export function readMessageDraft(writerId: string, memorialId: string): string {
  const typed = typedHere.get(memorialId)
  if (typed === undefined) return readText(keyOf(writerId, memorialId)) ?? ''
  keepText(writerId, memorialId, typed)
  return typed
}

/** Keeps what somebody types on this page; '' forgets it. */
export function keepMessageDraft(writerId: string, memorialId: string, text: string): void {
  typedHere.set(memorialId, text)
  keepText(writerId, memorialId, text)
}

/** Forgets what is kept on the device; the page goes on with what was typed on it. */
export function forgetMessageDraft(writerId: string, memorialId: string): void {
  removeText(keyOf(writerId, memorialId))
}

/** Forgets every begun message, of whoever: somebody signs out. */
export function forgetMessageDrafts(): void {
  typedHere.clear()
  forgetTexts(PREFIX)
}

function keepText(writerId: string, memorialId: string, text: string): void {
  if (text === '') removeText(keyOf(writerId, memorialId))
  else writeText(keyOf(writerId, memorialId), text)
}
