import { isOffline, watchConnectivity } from '#client/lib/offline/connectivity.ts'

/** Shows the offline notice while there is no connection. */
export function tellOffline(): void {
  const line = document.querySelector<HTMLElement>('[data-offline-line]')
  if (!line) return
  const look = () => {
    line.hidden = !isOffline()
  }
  watchConnectivity(look)
  look()
}
