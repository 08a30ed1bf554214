import { messages } from '#shared/messages.ts'
import { showErrorToast, showToast } from '#client/lib/toast-store.ts'

/** Copies text to the clipboard and shows a toast for success or failure. */
export async function copyText(text: string, done: { title: string; text?: string }): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    showToast(done)
  } catch {
    showErrorToast(messages.share.copyFailedTitle, messages.share.copyFailedText)
  }
}
