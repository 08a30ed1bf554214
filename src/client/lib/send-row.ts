import type { MediaType, MediaUploaded } from '#shared/media.ts'
import { errorText } from './call.ts'
import { sendMedia, UnreadableFile } from './send-media.ts'
import type { SendSwitch } from './send-switch.ts'
import { isAbort } from './upload.ts'

/** How a file stands: chosen; in a queue; on its way; paused by hand; without a connection; arrived; refused. */
export type SendState = 'ready' | 'waiting' | 'sending' | 'paused' | 'offline' | 'sent' | 'failed'

/** One file that is sent, as a screen shows it. */
export type SendRow = {
  /** Idempotency key of the file, and key of its row. */
  key: string
  file: File
  state: SendState
  /** 0 to 1 of the bytes have left. */
  part: number
  problem: string | null
  control: SendSwitch
}

type Sending = {
  memorialId: string
  row: Pick<SendRow, 'key' | 'file' | 'control'>
  type: MediaType
  /** Changes what is shown of the row. */
  change: (changes: Partial<SendRow>) => void
}

/** Sends the file of a row and shows how it goes. Null when somebody stopped it; throws what `sendMedia` throws. */
export async function sendRow({ memorialId, row, type, change }: Sending): Promise<MediaUploaded | null> {
  const { key, file, control } = row
  change({ state: 'sending', part: 0, problem: null })
  try {
    const uploaded = await sendMedia({
      memorialId,
      file,
      type,
      key,
      control,
      onProgress: (sent, total) => change({ part: total === 0 ? 0 : sent / total }),
      onHeld: (held) => change({ state: held === null ? 'sending' : STATE_OF[held] }),
    })
    change({ state: 'sent', part: 1 })
    return uploaded
  } catch (error) {
    if (isAbort(error)) return null
    throw error
  }
}

const STATE_OF = { hand: 'paused', line: 'offline' } as const

/** Why a file was not sent, for a person. */
export function sendProblem(error: unknown, fallback: string): string {
  return error instanceof UnreadableFile ? error.message : errorText(error, fallback)
}
