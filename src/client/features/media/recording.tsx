import { useRef, useState } from 'react'
import type { Media } from '#shared/media.ts'
import { formatBytes } from '#shared/messages.ts'
import { formatDuration } from '#client/lib/dates.ts'
import { mediaPath } from '#client/lib/links.ts'
import { Button } from '#client/ui/button.tsx'
import { addedBy } from './media.queries.ts'
import styles from './recording.module.css'

type Recording = { item: Media; invite: string | undefined; onDelete: (item: Media) => void }

/** A video: nothing of it is loaded before it is asked for; its size and length are said first. */
export function Video({ item, invite, onDelete }: Recording) {
  const [started, setStarted] = useState(false)
  const video = useRef<HTMLVideoElement>(null)
  return (
    <figure className={styles['item']}>
      <div className={styles['frame']}>
        {/* eslint-disable-next-line jsx-a11y/media-has-caption -- families' own recordings come without captions */}
        <video
          ref={video}
          className={styles['video']}
          src={mediaPath(item.id, undefined, invite)}
          controls
          preload="none"
          playsInline
          {...(item.thumbnailPath && { poster: item.thumbnailPath })}
          width={item.width ?? 640}
          height={item.height ?? 360}
          aria-label={item.caption ?? `Video added by ${addedBy(item)}`}
          onPlay={() => setStarted(true)}
        />
        {!started && (
          <button
            type="button"
            className={styles['play']}
            onClick={() => {
              setStarted(true)
              void video.current?.play()
              video.current?.focus()
            }}
          >
            {item.thumbnailPath && (
              <img className={styles['poster']} src={item.thumbnailPath} alt="" loading="lazy" />
            )}
            <svg viewBox="0 0 48 48" width="48" height="48" aria-hidden="true">
              <circle cx="24" cy="24" r="23" />
              <path d="M19 15v18l15-9Z" />
            </svg>
            <span>Play video · {factsOf(item)}</span>
          </button>
        )}
      </div>
      <Credit item={item} onDelete={onDelete} />
    </figure>
  )
}

/** A voice or other sound. */
export function Voice({ item, invite, onDelete }: Recording) {
  return (
    <figure className={styles['item']}>
      <p className={styles['title']}>
        {item.caption ?? `Recording by ${addedBy(item)}`}
        <span className={styles['facts']}> · {factsOf(item)}</span>
      </p>
      {/* eslint-disable-next-line jsx-a11y/media-has-caption -- families' own recordings come without captions */}
      <audio
        className={styles['audio']}
        src={mediaPath(item.id, undefined, invite)}
        controls
        preload="none"
        aria-label={item.caption ?? `Recording added by ${addedBy(item)}`}
      />
      <Credit item={{ ...item, caption: null }} onDelete={onDelete} />
    </figure>
  )
}

/** `18 MB · 1 min 12 s`. */
function factsOf(item: Media): string {
  const length = item.durationSec === null ? null : formatDuration(item.durationSec)
  return [formatBytes(item.size), length].filter(Boolean).join(' · ')
}

function Credit({ item, onDelete }: { item: Media; onDelete: (item: Media) => void }) {
  const kind = item.type === 'VIDEO' ? 'video' : 'recording'
  return (
    <figcaption className={styles['credit']}>
      <span>
        {item.caption && <span className={styles['caption']}>{item.caption} </span>}
        Added by {addedBy(item)}
      </span>
      {item.canDelete && (
        <Button look="danger" onClick={() => onDelete(item)}>
          Delete {kind}
        </Button>
      )}
    </figcaption>
  )
}
