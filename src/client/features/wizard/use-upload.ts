import { useState } from 'react'
import { messages } from '#shared/messages.ts'
import { errorText } from '#client/lib/call.ts'
import type { SendState } from '#client/lib/send-row.ts'
import { showErrorToast } from '#client/lib/toast-store.ts'
import { isAbort, uploadFile, type UploadOptions } from '#client/lib/upload.ts'

export type SingleUpload = { file: File; state: SendState; part: number; problem: string | null }

/** One file with its progress. `send` answers what the server did, or null after telling why it failed. */
export function useUpload<T>(fallback: string) {
  const [upload, setUpload] = useState<SingleUpload | null>(null)
  const [stop, setStop] = useState<AbortController | null>(null)

  async function send(options: Omit<UploadOptions, 'signal' | 'onProgress'>): Promise<T | null> {
    const controller = new AbortController()
    const row = { file: options.file, state: 'sending', part: 0, problem: null } as const
    setStop(controller)
    setUpload(row)
    try {
      const answer = await uploadFile<T>({
        ...options,
        signal: controller.signal,
        onProgress: (part) => setUpload({ ...row, part }),
      })
      setUpload(null)
      return answer
    } catch (error) {
      if (isAbort(error)) {
        setUpload(null)
        return null
      }
      const problem = errorText(error, fallback)
      setUpload({ ...row, state: 'failed', problem })
      showErrorToast(messages.media.uploadFailedTitle, problem)
      return null
    } finally {
      setStop(null)
    }
  }

  return {
    upload,
    /** Shows a file that waits to be sent. */
    hold: (file: File) => setUpload({ file, state: 'ready', part: 0, problem: null }),
    /** Stops the sending, or takes the file away. */
    remove() {
      if (stop) stop.abort()
      else setUpload(null)
    },
    send,
  }
}
