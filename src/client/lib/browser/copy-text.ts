import { messages } from '#shared/messages.ts'
import { showErrorToast, showToast } from '#client/lib/toast-store.ts'

/** Copies text to the clipboard and shows a toast for success (`title`) or failure. */
export async function copyText(
  text: string,
  title: string,
  failureText: string = messages.share.copyFailedText,
): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    showToast({ title })
  } catch {
    showErrorToast(messages.share.copyFailedTitle, failureText)
  }
}
