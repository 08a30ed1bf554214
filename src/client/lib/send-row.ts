import type { Media, MediaType, MediaUploaded } from '#shared/media.ts'
import { errorText } from './call.ts'
import { asItIs, fileToSend, type CheckedMedia } from './check-media.ts'
import { forgetOther, forgetUpload, keepUnwanted, noteProgress } from './kept-uploads.ts'
import { sendMedia, Unsendable } from './send-media.ts'
import { sendPoster } from './send-poster.ts'
import { newSendSwitch, type SendSwitch } from './send-switch.ts'
import { claimUpload, releaseUpload } from './upload-claim.ts'
import { isAbort } from './upload.ts'

/** How a file stands: looked into; chosen; in a queue; on its way; paused by hand; without a connection; arrived; refused. */
export type SendState =
  | 'preparing'
  | 'ready'
  | 'waiting'
  | 'sending'
  | 'paused'
  | 'offline'
  | 'sent'
  | 'failed'

/** One file that is sent, as a screen shows it. */
export type SendRow = {
  /** Idempotency key of the file, and key of its row. */
  key: string
  file: File
  /** What was found out of the file; null before. When it goes on its way, it is decided which of its sizes goes. */
  checked: CheckedMedia | null
  /** The photograph of which `file` is a smaller copy. */
  original: File | null
  state: SendState
  /** 0 to 1 of the bytes have left. */
  part: number
  problem: string | null
  control: SendSwitch
  /** Where an earlier visit had begun to send it. */
  url: string | null
}

/** A row of a file that was just chosen. */
export function newRow(file: File, state: SendState): SendRow {
  return {
    key: crypto.randomUUID(),
    file,
    checked: null,
    original: null,
    state,
    part: 0,
    problem: null,
    control: newSendSwitch(),
    url: null,
  }
}

const ON_ITS_WAY: ReadonlySet<string> = new Set<SendState>(['waiting', 'sending', 'paused', 'offline'])

/** True from when a file is to be sent until it has arrived, was refused or stopped. */
export function isOnItsWay({ state }: { state: string }): boolean {
  return ON_ITS_WAY.has(state)
}

type Sending = {
  memorialId: string
  row: SendRow
  type: MediaType
  /** Changes what is shown of the row. */
  change: (changes: Partial<SendRow>) => void
  /** A film that has arrived got the picture that stands for it. */
  onPoster: (media: Media) => void
}

/**
 * Sends the file of a row and shows how it goes; what the device keeps of it is kept in step. Null when somebody stopped it;
 * throws what `sendMedia` throws.
 */
export async function sendRow({
  memorialId,
  row,
  type,
  change,
  onPoster,
}: Sending): Promise<MediaUploaded | null> {
  const { key, control, url } = row
  const { file, original } = shownFile(row)
  forgetOther(key, file)
  // From now on this file and no other: sent again, it must be the same.
  change({ state: 'sending', problem: null, file, original, checked: asItIs(file) })
  // One that an earlier visit had begun is claimed already.
  await claimUpload(key)
  try {
    const uploaded = await sendMedia({
      memorialId,
      file,
      type,
      key,
      control,
      url,
      onProgress: (sent, total) => change({ part: total === 0 ? 0 : sent / total }),
      onHeld: (held) => change({ state: held === null ? 'sending' : STATE_OF[held] }),
      onPlace: (place, safe) => noteProgress(key, place, safe),
      onStopped: (isEnded) => (isEnded ? forgetUpload(key) : keepUnwanted(key)),
    })
    change({ state: 'sent', part: 1 })
    forgetUpload(key)
    if (type === 'VIDEO') void addPoster(uploaded.id, file, onPoster)
    return uploaded
  } catch (error) {
    if (isAbort(error)) return null
    if (!(error instanceof Unsendable && error.isForNow)) forgetUpload(key)
    throw error
  } finally {
    releaseUpload(key)
  }
}

async function addPoster(id: string, film: File, onPoster: Sending['onPoster']): Promise<void> {
  const media = await sendPoster(id, film)
  if (media) onPoster(media)
}

const STATE_OF = { hand: 'paused', line: 'offline' } as const

/** The file as it is sent, or would be at this moment, and the original where that is a smaller copy. */
export function shownFile(
  { file, original, checked }: Pick<SendRow, 'file' | 'original' | 'checked'>,
  keeps?: boolean,
): Pick<SendRow, 'file' | 'original'> {
  if (!checked) return { file, original }
  const chosen = fileToSend(checked, keeps)
  return { file: chosen, original: chosen === checked.original ? original : checked.original }
}

/** Why a file was not sent, for a person. */
export function sendProblem(error: unknown, fallback: string): string {
  return error instanceof Unsendable ? error.message : errorText(error, fallback)
}
