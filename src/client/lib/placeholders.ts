import { createContext, useContext } from 'react'

/**
 * Collects the placeholders of a server-rendered page in a style sheet, because the CSP's `style-src` forbids style
 * attributes.
 */
export type PlaceholderSheet = {
  /** Adds a placeholder (a data URI) and returns the class name that shows it. */
  add: (placeholder: string) => string
}

/** Null where a script renders the page and may set styles. */
export const PlaceholderContext = createContext<PlaceholderSheet | null>(null)

/** The sheet of the page being rendered, or null in a browser. */
export function usePlaceholderSheet(): PlaceholderSheet | null {
  return useContext(PlaceholderContext)
}
