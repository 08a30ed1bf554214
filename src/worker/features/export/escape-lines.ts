import { escapeHtml } from '#worker/features/previews/escape.ts'

/** As `escapeHtml`, for text whose line breaks mean something. */
export function escapeLines(text: string): string {
  return text.split('\n').map(escapeHtml).join('\n')
}
