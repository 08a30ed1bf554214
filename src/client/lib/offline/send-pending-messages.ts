import { sendMessage } from './send-message.ts'
import { sendPending } from './pending-messages.ts'

/** Devices report that they are online some seconds before requests get through. */
const DELAYS_MS = [0, 2000, 4000, 8000] as const

/** Sends pending messages now, and whenever the device comes online. */
export function sendPendingMessages(): void {
  window.addEventListener('online', () => void tryToSend())
  void tryToSend()
}

async function tryToSend(): Promise<void> {
  for (const delay of DELAYS_MS) {
    await new Promise((resolve) => setTimeout(resolve, delay))
    const result = await sendPending(sendMessage)
    if (result?.kind !== 'later' || !navigator.onLine) return
  }
}
