import { ADDED, type Added } from '../messages.ts'
import { ADDED_PARAMETER } from './added-parameter.ts'

/** The forms on a memorial's page that work without script, by the part of the page that a browser goes back to. */
export const WORDS_FORM = 'add-a-message'
export const FILES_FORM = 'add-files'
/** The form for a visitor's message. It is sent by the browser, with script or without. */
export const VISITOR_FORM = 'leave-a-message'
/** Query parameters of the page of a visitor's words: what the form that led to it has done. */
export const WORDS_LEFT = 'left'
export const WORDS_TAKEN_BACK = 'taken'
/** Said after words were left: a link was mailed. */
export const WORDS_LINK_MAILED = 'mailed'
/** Query parameter of the same page in such a mail: its token. */
export const WORDS_KEY = 'key'
/** Query parameters of the pages of replies: what a form has done, to which reply, whether it was mailed, and what became of its words. */
export const REPLY_DONE = 'done'
export const REPLY_OF = 'reply'
export const REPLY_MAILED = 'mailed'
export const REPLY_WORDS_SHOWN = 'words'
/** The form for a new reply to a gathering, and those that change a reply and take it back. */
export const replyForm = (eventId: string) => `reply-to-${eventId}`
export const changeForm = (replyId: string) => `change-${replyId}`
export const withdrawForm = (replyId: string) => `withdraw-${replyId}`
/** The forms by which a relative leaves an address, asks for a code, uses it, and chooses between people with one address. */
export const ADDRESS_FORM = 'leave-address'
export const ASK_FORM = 'ask-for-code'
export const CODE_FORM = 'use-code'
/** The forms by which somebody asks to be let in, and comes in by the mailed link. */
export const ASK_IN_FORM = 'ask-in'
export const LET_IN_FORM = 'let-in'
/** The form for an invitation's PIN. */
export const PIN_FORM = 'pin'
/** Query parameter of their page: what a form has done. */
export const AGAIN_DONE = 'done'
export type AgainDone = 'asked' | 'known' | 'kept' | 'gone'
/** The form that asks for mails about a memorial, and what its page says then. */
export const FOLLOW_FORM = 'follow'
export const FOLLOW_DONE = 'done'
export type ContributionForm = typeof WORDS_FORM | typeof FILES_FORM

/** As many as one form can add. */
export const FILES_MAX = 24

/** A `URLSearchParams` fits. */
type Query = {
  get: (name: string) => string | null
  set: (name: string, value: string) => void
  delete: (name: string) => void
}

/** Adds to a page's query what a form has added. */
export function sayAdded(query: Query, added: readonly Added[]): void {
  query.set(ADDED_PARAMETER, added.join('.'))
}

/** Takes out of a page's query what a form has added. */
export function takeAdded(query: Query): Added[] {
  const said = query.get(ADDED_PARAMETER)?.split('.').slice(0, FILES_MAX) ?? []
  query.delete(ADDED_PARAMETER)
  return said.flatMap((one) => ADDED.find((kind) => kind === one) ?? [])
}
