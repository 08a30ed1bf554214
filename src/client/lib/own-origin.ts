import { createContext, useContext } from 'react'

/**
 * The origin of this site during server rendering, `https://…` without a slash; null in a browser, which knows it.
 */
export const OriginContext = createContext<string | null>(null)

/** The origin of this site, without a trailing slash. */
export function useOwnOrigin(): string {
  return useContext(OriginContext) ?? window.location.origin
}
