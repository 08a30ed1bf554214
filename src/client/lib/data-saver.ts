import { createContext, useContext } from 'react'

/** True if the page is rendered for data saver mode: no script, and few images. */
export const DataSaverContext = createContext(false)

/** True if the page must work without a script. */
export function useDataSaver(): boolean {
  return useContext(DataSaverContext)
}
