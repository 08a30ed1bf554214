import { createContext, useContext } from 'react'

/** True where the page is written for somebody who wants to use less data: no script will come, and few pictures. */
export const LiteContext = createContext(false)

/** True where the page must do without a script. */
export function useLite(): boolean {
  return useContext(LiteContext)
}
