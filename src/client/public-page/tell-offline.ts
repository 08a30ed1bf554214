import { isOffline, watchConnectivity } from '#client/lib/offline/connectivity.ts'

/** Shows the offline notice while there is no connection. */
export function showOfflineNotice(): void {
  const notice = document.querySelector<HTMLElement>('[data-offline-line]')
  if (!notice) return
  const update = () => {
    notice.hidden = !isOffline()
  }
  watchConnectivity(update)
  update()
}
