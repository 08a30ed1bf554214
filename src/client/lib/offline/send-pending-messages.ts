import { sendMessage } from './send-message.ts'
import { sendWaiting } from './pending-messages.ts'

/** Devices report that they are online some seconds before requests get through. */
const TRIES_AFTER_MS = [0, 2000, 4000, 8000] as const

/** Sends pending messages now, and whenever the device comes online. */
export function sendWhatWaits(): void {
  window.addEventListener('online', () => void trySome())
  void trySome()
}

async function trySome(): Promise<void> {
  for (const delay of TRIES_AFTER_MS) {
    await new Promise((resolve) => setTimeout(resolve, delay))
    const tried = await sendWaiting(sendMessage)
    if (tried?.kind !== 'later' || !navigator.onLine) return
  }
}
