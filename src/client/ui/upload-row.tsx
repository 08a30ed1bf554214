import { useCallback, useId, useState, type ReactNode } from 'react'
import { formatBytes } from '#shared/messages.ts'
import { Button } from './button.tsx'
import styles from './upload-row.module.css'

export type UploadState = 'ready' | 'waiting' | 'sending' | 'sent' | 'failed'

const STATE_WORDS: Record<UploadState, string> = {
  ready: 'Ready to send',
  waiting: 'Waiting',
  sending: 'Sending',
  sent: 'Sent',
  failed: 'Not sent',
}

/** One file on its way: picture, name, size, progress, what state it is in, why it failed, and what can be done. */
export function UploadRow({
  file,
  state,
  part = 0,
  problem,
  onRemove,
  onRetry,
  children,
}: {
  file: File
  state: UploadState
  /** 0 to 1 of the bytes have left. */
  part?: number
  problem?: string | null
  onRemove?: (() => void) | undefined
  onRetry?: (() => void) | undefined
  children?: ReactNode
}) {
  const id = useId()
  const percent = Math.floor(part * 100)
  return (
    <div className={styles['row']}>
      <FileThumb file={file} />
      <div className={styles['facts']}>
        <p className={styles['name']} id={id}>
          {file.name}
        </p>
        <p className={styles['meta']}>
          {formatBytes(file.size)} · <span className={styles[state]}>{STATE_WORDS[state]}</span>
          {state === 'sending' && ` ${percent} %`}
        </p>
        {state === 'sending' && (
          <progress className={styles['progress']} value={part} max={1} aria-labelledby={id}>
            {percent} %
          </progress>
        )}
        {problem && (
          <p className={styles['problem']} role="alert">
            {problem}
          </p>
        )}
        {children}
        <Quarters name={file.name} state={state} percent={percent} />
      </div>
      <div className={styles['actions']}>
        {onRetry && state === 'failed' && (
          <Button onClick={onRetry} aria-describedby={id}>
            Try again
          </Button>
        )}
        {onRemove && (
          <Button look="quiet" onClick={onRemove} aria-describedby={id}>
            {state === 'sending' ? 'Stop' : 'Remove'}
          </Button>
        )}
      </div>
    </div>
  )
}

/** Speaks progress at 25, 50, 75 and 100 per cent only. */
function Quarters({ name, state, percent }: { name: string; state: UploadState; percent: number }) {
  const quarter = Math.floor(percent / 25) * 25
  const words = state === 'sending' && quarter > 0 ? `${name}: ${quarter} % sent` : ''
  return (
    <span className="visually-hidden" aria-live="polite">
      {state === 'sent' ? `${name}: sent` : words}
    </span>
  )
}

/** A small picture of a chosen photo; for other files the kind in words. */
export function FileThumb({ file }: { file: File }) {
  const [isUnreadable, setUnreadable] = useState(false)
  if (file.type.startsWith('image/') && !isUnreadable) {
    return (
      <LocalImage
        file={file}
        alt=""
        className={styles['thumb'] ?? ''}
        onUnreadable={() => setUnreadable(true)}
      />
    )
  }
  return (
    <span className={`${styles['thumb']} ${styles['kind']}`} aria-hidden="true">
      {kindOf(file)}
    </span>
  )
}

function kindOf(file: File): string {
  if (file.type.startsWith('video/')) return 'Video'
  if (file.type.startsWith('audio/')) return 'Audio'
  return file.type === 'application/pdf' ? 'PDF' : 'File'
}

/** Shows a chosen file that is still on this device; its address is given back when the picture goes. */
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
