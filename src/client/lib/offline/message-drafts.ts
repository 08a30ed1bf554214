import { removeTextsByPrefix, readText, removeText, writeText } from '#client/lib/browser/stored-text.ts'

/** Drafts typed on this page, by memorial: the current user's, even if the name changes meanwhile. */
const typedOnPage = new Map<string, string>()

const PREFIX = 'message-draft:'

function keyOf(writerId: string, memorialId: string): string {
  return `${PREFIX}${writerId}:${memorialId}`
}

/** This writer's draft, or ''. Text typed on this page takes precedence and is stored under the new name. */
export function readMessageDraft(writerId: string, memorialId: string): string {
  const typed = typedOnPage.get(memorialId)
  if (typed === undefined) return readText(keyOf(writerId, memorialId)) ?? ''
  storeDraft(writerId, memorialId, typed)
  return typed
}

/** Stores what the user types; '' deletes it. */
export function storeMessageDraft(writerId: string, memorialId: string, text: string): void {
  typedOnPage.set(memorialId, text)
  storeDraft(writerId, memorialId, text)
}

/** Keeps what is typed before the form works, which takes it over. Nobody's (null) is not stored. */
export function keepTyped(writerId: string | null, memorialId: string, text: string): void {
  typedOnPage.set(memorialId, text)
  if (writerId !== null) storeDraft(writerId, memorialId, text)
}

/** Stores a writer's draft under another id, unless there is one. */
export function moveMessageDraft(from: string, to: string, memorialId: string): void {
  const draft = readText(keyOf(from, memorialId))
  if (draft === null || from === to) return
  if (readText(keyOf(to, memorialId)) === null) writeText(keyOf(to, memorialId), draft)
  removeText(keyOf(from, memorialId))
}

/** Deletes the stored draft. The page still remembers what was typed on it. */
export function deleteMessageDraft(writerId: string, memorialId: string): void {
  removeText(keyOf(writerId, memorialId))
}

/** Deletes all drafts of all writers, at sign-out. */
export function deleteAllMessageDrafts(): void {
  typedOnPage.clear()
  removeTextsByPrefix(PREFIX)
}

function storeDraft(writerId: string, memorialId: string, text: string): void {
  if (text === '') removeText(keyOf(writerId, memorialId))
  else writeText(keyOf(writerId, memorialId), text)
}
