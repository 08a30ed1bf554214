import { createContext, useContext } from 'react'

/** True where the page is written for somebody who wants to use less data: no script will come, and few pictures. */
export const DataSaverContext = createContext(false)

/** True where the page must do without a script. */
export function useDataSaver(): boolean {
  return useContext(DataSaverContext)
}
