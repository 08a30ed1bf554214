import { createContext, useContext } from 'react'

/** The address of this site where a server draws the page, `https://…` without a slash; null in a browser, which knows. */
export const OriginContext = createContext<string | null>(null)

/** The address of this site, without a slash at its end. */
export function useOwnOrigin(): string {
  return useContext(OriginContext) ?? window.location.origin
}
