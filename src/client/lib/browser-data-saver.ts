import { DATA_SAVER } from '#shared/pages.ts'

type Connection = { saveData?: boolean }

/** True in data saver mode, decided as on the server: the switch in the footer, else the browser's setting. */
export function isSavingData(): boolean {
  const { connection } = navigator as { connection?: Connection }
  const chosen = new RegExp(`(?:^|;\\s*)${DATA_SAVER}=([01])`, 'u').exec(document.cookie)?.[1]
  return chosen === undefined ? connection?.saveData === true : chosen === '1'
}
