import { useCallback, useId, useState, type ReactNode } from 'react'
import { formatBytes, messages } from '#shared/messages.ts'
import type { UploadItem, UploadStatus } from '#client/lib/upload/upload-item.ts'
import { Button } from '../button.tsx'
import styles from './upload-row.module.css'

const STATE_TEXT: Record<UploadStatus, string> = {
  preparing: 'Getting ready',
  ready: 'Ready to send',
  waiting: 'Waiting',
  sending: 'Sending',
  paused: 'Paused',
  offline: 'Paused',
  held: 'Waiting',
  sent: 'Sent',
  failed: 'Not sent',
}
/** Started: can be paused or stopped. */
const STARTED: ReadonlySet<UploadStatus> = new Set(['sending', 'paused', 'offline', 'held'])

/** One upload: thumbnail, name, size, progress, state, error, and the buttons that its state allows. */
export function UploadRow({
  upload: { file, original, state, progress, problem, control },
  onRemove,
  onRetry,
  children,
}: {
  /** `control` is given if it can be paused. */
  upload: Pick<UploadItem, 'file' | 'state' | 'progress' | 'problem'> &
    Partial<Pick<UploadItem, 'original' | 'control'>>
  onRemove?: (() => void) | undefined
  onRetry?: (() => void) | undefined
  children?: ReactNode
}) {
  const id = useId()
  const percent = Math.floor(progress * 100)
  const { name } = original ?? file
  const isStarted = STARTED.has(state)
  return (
    <div className={styles.row} tabIndex={-1}>
      <FileThumb file={file} isShown={state !== 'preparing'} />
      <div className={styles.facts}>
        <p className={styles.name} id={id}>
          {name}
        </p>
        <p className={`small-muted ${styles.meta}`}>
          {original && !isStarted && `${formatBytes(original.size)} → `}
          {isStarted && `${formatBytes(Math.floor(progress * file.size))} of `}
          {formatBytes(file.size)} {isStarted && `· ${percent} % `}·{' '}
          <span className={state === 'sent' || state === 'failed' ? styles[state] : undefined}>
            {STATE_TEXT[state]}
          </span>
        </p>
        {isStarted && (
          <progress className={styles.progress} value={progress} max={1} aria-labelledby={id}>
            {percent} %
          </progress>
        )}
        {isAvi(file) && <p className={`small-muted ${styles.meta}`}>{messages.media.aviHint}</p>}
        {state === 'offline' && <p className={`small-muted ${styles.meta}`}>{messages.media.heldByLine}</p>}
        {state === 'held' && <p className={`small-muted ${styles.meta}`}>{messages.media.heldByOthers}</p>}
        {problem && (
          <p className={styles.problem} role="alert">
            {problem}
          </p>
        )}
        {children}
        <Quarters name={name} state={state} percent={percent} />
      </div>
      <div className={styles.actions}>
        {onRetry && state === 'failed' && (
          <Button ref={passFocusOn} onClick={onRetry} aria-describedby={id}>
            Try again
          </Button>
        )}
        {control && isStarted && (
          <Button
            ref={passFocusOn}
            onClick={state === 'paused' ? control.resume : control.pause}
            aria-describedby={id}
          >
            {state === 'paused' ? 'Continue' : 'Pause'}
          </Button>
        )}
        {onRemove && (
          <Button ref={passFocusOn} variant="quiet" onClick={onRemove} aria-describedby={id}>
            {isStarted ? 'Stop' : 'Remove'}
          </Button>
        )}
      </div>
    </div>
  )
}

/**
 * When the focused button disappears, its row takes the focus, or the row after or before, or what chooses files. Never
 * another button: a second press would remove one more file.
 */
function passFocusOn(button: HTMLButtonElement): () => void {
  return () => {
    const row = button.closest<HTMLElement>(`.${styles.row}`)
    const section = row?.closest('section')
    if (!row || !section || document.activeElement !== button) return
    const all = [...section.querySelectorAll<HTMLElement>(`.${styles.row}`)]
    const at = all.indexOf(row)
    const other = all[at + 1] ?? all[at - 1] ?? section.querySelector<HTMLElement>('input[type=file]')
    // Once the page has changed, which may have removed the row.
    queueMicrotask(() => (row.isConnected ? row : other)?.focus())
  }
}

/** Announces progress at 25, 50, 75 and 100 per cent only. */
function Quarters({ name, state, percent }: { name: string; state: UploadStatus; percent: number }) {
  const quarter = Math.floor(percent / 25) * 25
  const words = state === 'sending' && quarter > 0 ? `${name}: ${quarter} % sent` : ''
  return (
    <span className="visually-hidden" aria-live="polite">
      {state === 'sent' ? `${name}: sent` : words}
    </span>
  )
}

/** A thumbnail of a chosen photo; for other files, the type as text. */
function FileThumb({ file, isShown }: { file: File; isShown: boolean }) {
  const [isUnreadable, setUnreadable] = useState(false)
  if (isShown && file.type.startsWith('image/') && !isUnreadable) {
    return <LocalImage file={file} alt="" className={styles.thumb} onUnreadable={() => setUnreadable(true)} />
  }
  return (
    <span className={`${styles.thumb} ${styles.kind}`} aria-hidden="true">
      {kindOf(file)}
    </span>
  )
}

/** True for a video that is accepted and stored, but that no browser plays. */
function isAvi({ name, type }: File): boolean {
  return /^video\/(?:x-msvideo|msvideo|avi)$/u.test(type) || /\.avi$/iu.test(name)
}

function kindOf(file: File): string {
  if (file.type.startsWith('image/')) return 'Photo'
  if (file.type.startsWith('video/')) return 'Video'
  if (file.type.startsWith('audio/')) return 'Audio'
  return file.type === 'application/pdf' ? 'PDF' : 'File'
}

/** Shows a chosen file that is still on this device. Revokes its object URL when the image is removed. */
export function LocalImage({
  file,
  alt,
  className,
  onUnreadable,
}: {
  file: Blob
  alt: string
  className?: string
  onUnreadable?: () => void
}) {
  const show = useCallback(
    (image: HTMLImageElement) => {
      const url = URL.createObjectURL(file)
      image.src = url
      return () => URL.revokeObjectURL(url)
    },
    [file],
  )
  return <img ref={show} className={className} alt={alt} onError={onUnreadable} />
}
