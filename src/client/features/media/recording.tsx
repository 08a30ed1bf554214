import { useCallback, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { formatDuration } from '#shared/dates.ts'
import type { Media } from '#shared/media/media.ts'
import { MEDIA_NOUN } from '#shared/media/media-types.ts'
import { formatBytes, cannotPlay } from '#shared/messages.ts'
import { mediaPath, mediaSrcSet, SMALLER_WIDTHS } from '#client/lib/links.ts'
import { useHydrated, useDataSaver, useWithoutScript } from '#client/lib/server-rendering.ts'
import { Button, ButtonAnchor } from '#client/ui/button.tsx'
import { HeldNote } from '#client/ui/held-note.tsx'
import { More } from '#client/ui/more.tsx'
import { PlaceholderImage } from '#client/ui/placeholder-image.tsx'
import { ReportLink } from '#client/ui/report-link.tsx'
import type { MarksNew } from './photo-grid.tsx'
import { addedBy, altOf, captionAction } from './media.queries.ts'
import styles from './recording.module.css'

type Recording = MarksNew & {
  item: Media
  invite: string | undefined
  /** Null if the user may remove it but not change its words. */
  onEdit: ((item: Media) => void) | null
  onDelete: (item: Media) => void
  onReport: (item: Media) => void
  /** Who is looking: the family or a contributor. */
  sender: 'owner' | 'contributor'
}

const POSTER_SIZES = '(min-width: 36rem) 34rem, 80vw'

/** A video. Nothing loads before the user presses play; size and duration are shown first. */
export function Video(recording: Recording) {
  const { item, invite } = recording
  const [state, setState] = useState<'idle' | 'started' | 'shown' | 'failed'>('idle')
  const isPlayable = useMayPlay(item)
  const isDataSaver = useDataSaver()
  const isWithoutScript = useWithoutScript()
  const isHydrated = useHydrated()
  const video = useRef<HTMLVideoElement>(null)
  // Somebody may have started it before the app came: those events are over.
  const onMount = useCallback((player: HTMLVideoElement | null) => {
    video.current = player
    if (player?.played.length) setState('shown')
  }, [])
  if (state === 'failed' || !isPlayable) {
    return (
      <figure className={styles.item}>
        <p className={styles.title}>
          {altOf(item)}
          <span className={styles.facts}> · {factsOf(item)}</span>
        </p>
        <Unplayable item={item} invite={invite} />
        <Credit {...recording} isCaptionAbove />
      </figure>
    )
  }
  const hasPoster = item.thumbnailPath !== null && !isDataSaver
  return (
    <figure className={styles.item}>
      <div className={styles.frame}>
        {/* eslint-disable-next-line jsx-a11y/media-has-caption -- families' own recordings come without captions */}
        <video
          ref={onMount}
          className={styles.video}
          src={mediaPath(item.id, undefined, invite)}
          // Without JavaScript these are the only controls.
          controls={state !== 'idle' || !isHydrated}
          preload="none"
          playsInline
          width={item.width ?? 640}
          height={item.height ?? 360}
          aria-label={altOf(item)}
          onPlay={() => setState((before) => (before === 'idle' ? 'started' : before))}
          onPlaying={() => setState('shown')}
          onError={() => setState('failed')}
        />
        {/* Stays until the first frame: until then the player is black. */}
        {hasPoster && state !== 'shown' && (
          <PlaceholderImage
            className={styles.poster}
            placeholder={item.placeholder}
            src={mediaPath(item.id, 640, invite)}
            srcSet={mediaSrcSet(item.id, SMALLER_WIDTHS, invite)}
            sizes={POSTER_SIZES}
            width={item.width ?? 640}
            height={item.height ?? 360}
            alt=""
            loading="lazy"
            decoding="async"
          />
        )}
        {state === 'idle' && !isWithoutScript && (
          <form
            method="get"
            action={mediaPath(item.id, undefined, invite)}
            className={styles.begin}
            data-play
            onSubmit={(event) => {
              event.preventDefault()
              // Without its controls the player can't take the focus.
              flushSync(() => setState('started'))
              const { current: player } = video
              // The player's error event may have come before this form worked.
              player?.play().catch(() => player.error && setState('failed'))
              player?.focus()
            }}
          >
            {invite !== undefined && <input type="hidden" name="invite" value={invite} />}
            <button
              type="submit"
              className={`${styles.play} ${hasPoster ? '' : styles.plain}`}
              aria-label={`Play video · ${factsOf(item)}: ${altOf(item)}`}
            >
              <svg viewBox="0 0 48 48" width="48" height="48" aria-hidden="true">
                <circle cx="24" cy="24" r="23" />
                <path d="M19 15v18l15-9Z" />
              </svg>
              <span>Play video · {factsOf(item)}</span>
            </button>
          </form>
        )}
      </div>
      {isWithoutScript && <p className={styles.facts}>{factsOf(item)}</p>}
      <Credit {...recording} />
    </figure>
  )
}

export function AudioRecording(recording: Recording) {
  const { item, invite } = recording
  const [hasFailed, setFailed] = useState(false)
  const isFailed = !useMayPlay(item) || hasFailed
  const path = mediaPath(item.id, undefined, invite)
  const fail = () => setFailed(true)
  const player = {
    className: styles.audio,
    controls: true,
    preload: 'none',
    'aria-label': altOf(item),
  } as const
  return (
    <figure className={styles.item}>
      <p className={styles.title}>
        {item.caption ?? `Recording by ${addedBy(item)}`}
        <span className={styles.facts}> · {factsOf(item)}</span>
      </p>
      {isFailed && <Unplayable item={item} invite={invite} />}
      {!isFailed && item.mimeType === 'audio/ogg' && (
        // Safari before 18.4 uses the second source: the same audio in another container.
        // eslint-disable-next-line jsx-a11y/media-has-caption -- as above
        <audio {...player}>
          <source src={path} type="audio/ogg; codecs=opus" />
          <source src={asCaf(path)} type="audio/x-caf; codecs=opus" onError={fail} />
        </audio>
      )}
      {!isFailed && item.mimeType !== 'audio/ogg' && (
        // eslint-disable-next-line jsx-a11y/media-has-caption -- as above
        <audio {...player} src={path} onError={fail} />
      )}
      <Credit {...recording} isCaptionAbove />
    </figure>
  )
}

/** Whether this browser can play the item; true until hydrated, because only the browser knows. */
function useMayPlay(item: Media): boolean {
  const isHydrated = useHydrated()
  return useMemo(() => !isHydrated || mayPlay(item), [isHydrated, item])
}

function asCaf(path: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}as=caf`
}

/** `18 MB · 1 min 12 s`. */
function factsOf(item: Media): string {
  const length = item.durationSec === null ? null : formatDuration(item.durationSec)
  return [formatBytes(item.size), length].filter(Boolean).join(' · ')
}

function Credit({
  item,
  isCaptionAbove,
  onEdit,
  onDelete,
  onReport,
  sender,
  newBadge,
}: Recording & { isCaptionAbove?: boolean }) {
  const badge = newBadge?.(item)
  return (
    <figcaption className={`row spread small-muted ${styles.credit}`}>
      <div>
        {item.caption && !isCaptionAbove && <span className={styles.caption}>{item.caption} </span>}
        Added by {addedBy(item)}
        {badge && <> {badge}</>}
        <span data-print="only"> · {MEDIA_NOUN[item.type]}: watch or listen on the memorial page</span>
        {item.isHeld && <HeldNote sender={sender} isOnPage />}
      </div>
      {!item.canDelete && <ReportLink id={item.id} of={altOf(item)} onReport={() => onReport(item)} />}
      {item.canDelete && (
        <span className="row">
          {onEdit && (
            <Button variant="quiet" onClick={() => onEdit(item)}>
              {captionAction(item)}
            </Button>
          )}
          <More of={altOf(item)}>
            <Button variant="danger" onClick={() => onDelete(item)}>
              Delete {MEDIA_NOUN[item.type]}
            </Button>
          </More>
        </span>
      )}
    </figcaption>
  )
}

/** Replaces a player: why the file doesn't play here, and a link to download it. */
function Unplayable({ item, invite }: { item: Media; invite: string | undefined }) {
  const kind = MEDIA_NOUN[item.type]
  return (
    <div className={styles.unplayable} role="status">
      <p>{cannotPlay(kind, item.size)}</p>
      <ButtonAnchor href={mediaPath(item.id, undefined, invite)} download={item.originalFileName}>
        Save {kind} ({formatBytes(item.size)})
      </ButtonAnchor>
    </div>
  )
}

/** False if this browser says that it can't play the format. True is no guarantee: playback may still fail. */
function mayPlay({ type, mimeType }: Media): boolean {
  const player = document.createElement(type === 'VIDEO' ? 'video' : 'audio')
  // QuickTime from phones is MP4 under another MIME type: browsers reject the type but play the file.
  const name = mimeType === 'video/quicktime' ? 'video/mp4' : mimeType
  // Opus in Ogg has a fallback source (`as=caf`); the player chooses.
  return mimeType === 'audio/ogg' || player.canPlayType(name) !== ''
}
