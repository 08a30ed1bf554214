import { createContext } from 'react'
import type { Added } from '#shared/messages.ts'

/** For the forms that work without script on a page that the server has written; null elsewhere. */
export type PlainForms = {
  /** Names this page in its forms, so that the server knows one that is sent twice. */
  key: string
  /** What a form has just added. */
  added: readonly Added[]
}

export const PlainFormsContext = createContext<PlainForms | null>(null)
