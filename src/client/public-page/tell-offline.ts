import { isOffline, watchConnectivity } from '#client/lib/offline/connectivity.ts'

/** Shows the line about the connection while there is none. */
export function tellOffline(): void {
  const line = document.querySelector<HTMLElement>('[data-offline-line]')
  if (!line) return
  const look = () => {
    line.hidden = !isOffline()
  }
  watchConnectivity(look)
  look()
}
