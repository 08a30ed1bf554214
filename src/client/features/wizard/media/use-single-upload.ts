import { useState } from 'react'
import { messages } from '#shared/messages.ts'
import { errorText } from '#client/lib/call.ts'
import { showErrorToast } from '#client/lib/toast-store.ts'
import { isAbort, uploadFile, type UploadOptions } from '#client/lib/upload/single-request.ts'
import type { UploadStatus } from '#client/lib/upload/upload-item.ts'

export type SingleUpload = { file: File; state: UploadStatus; progress: number; problem: string | null }

/** Uploads a file in one request, without retries. `send` returns the response, or null after showing the error. */
export function useSingleUpload<T>(fallback: string) {
  const [upload, setUpload] = useState<SingleUpload | null>(null)
  const [stop, setStop] = useState<AbortController | null>(null)

  async function send(options: Omit<UploadOptions, 'signal' | 'onProgress'>): Promise<T | null> {
    const controller = new AbortController()
    const row = { file: options.file, state: 'sending', progress: 0, problem: null } as const
    setStop(controller)
    setUpload(row)
    try {
      const answer = await uploadFile<T>({
        ...options,
        signal: controller.signal,
        onProgress: (progress) => setUpload({ ...row, progress }),
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
    /** Shows a file that will be uploaded later. */
    setFile: (file: File) => setUpload({ file, state: 'ready', progress: 0, problem: null }),
    /** Aborts a running upload, otherwise removes the file. */
    remove() {
      if (stop) stop.abort()
      else setUpload(null)
    },
    send,
  }
}
