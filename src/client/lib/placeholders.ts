import { createContext, useContext } from 'react'

/**
 * The soft pictures of a page that a server writes: a policy that forbids styles in attributes (`style-src`) leaves them a
 * sheet of their own.
 */
export type PlaceholderSheet = {
  /** Takes one in, a data URI; gives the class name that draws it. */
  add: (placeholder: string) => string
}

/** Null where a script draws the page and may set styles. */
export const PlaceholderContext = createContext<PlaceholderSheet | null>(null)

/** The sheet of the page that is being written, or null in a browser. */
export function usePlaceholderSheet(): PlaceholderSheet | null {
  return useContext(PlaceholderContext)
}
