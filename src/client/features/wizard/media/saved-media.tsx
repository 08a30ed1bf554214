import { useRef, useState, type ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { api } from '#shared/api.ts'
import { formatDuration } from '#shared/dates.ts'
import { ALT_MAX, CAPTION_MAX } from '#shared/limits.ts'
import type { Media } from '#shared/media/media.ts'
import { MEDIA_NAME, MEDIA_NOUN } from '#shared/media/media-types.ts'
import { formatBytes, messages } from '#shared/messages.ts'
import { call, errorText } from '#client/lib/call.ts'
import { useMediaRemoval } from '#client/lib/removed.ts'
import { Button } from '#client/ui/button.tsx'
import { TextField } from '#client/ui/forms/field.tsx'
import { PlaceholderImage } from '#client/ui/placeholder-image.tsx'
import styles from './media.module.css'

const CAPTION_LABEL = {
  IMAGE: 'Caption',
  VIDEO: 'Caption',
  AUDIO: 'Caption: who is speaking, and what about?',
} as const

/** How many items the list starts with. */
const PREVIEW = 6

/** The memorial's saved media: edit texts, choose the main photo, delete. `more` loads older ones; null if all are loaded. */
export function SavedMedia({
  titleId,
  memorialId,
  media,
  coverMediaId,
  onCover,
  onChanged,
  onDeleted,
  more,
}: {
  titleId: string
  memorialId: string
  media: readonly Media[]
  coverMediaId: string | null
  onCover: (id: string) => Promise<void>
  onChanged: (media: Media) => void
  onDeleted: (id: string) => void
  more: ReactNode
}) {
  const [isAll, setAll] = useState(false)
  const list = useRef<HTMLUListElement>(null)
  const shown = isAll ? media : media.slice(0, PREVIEW)

  const remove = useMediaRemoval(memorialId, ({ id }) => onDeleted(id))

  function showAll() {
    flushSync(() => setAll(true))
    // The button disappears: the first new item takes the focus.
    list.current?.children[PREVIEW]?.querySelector('summary')?.focus({ preventScroll: true })
  }

  return (
    <section aria-labelledby={titleId}>
      <h3 id={titleId} tabIndex={-1}>
        On the memorial now
      </h3>
      <ul ref={list} className={styles.list}>
        {shown.map((item, index) => (
          <li key={item.id} className={styles.item}>
            {item.thumbnailPath ? (
              <PlaceholderImage
                className={styles.thumb}
                placeholder={item.placeholder}
                src={item.thumbnailPath}
                alt=""
                width={72}
                height={72}
                loading="lazy"
              />
            ) : (
              <span className={styles.thumb} aria-hidden="true">
                {item.type === 'AUDIO' ? 'Audio' : MEDIA_NAME[item.type]}
              </span>
            )}
            <div className={styles.facts}>
              <p className={item.caption === null ? styles.meta : styles.name}>
                {item.caption ?? 'No caption yet'}
              </p>
              <p className={`small-muted ${styles.meta}`}>
                {MEDIA_NAME[item.type]} · {formatBytes(item.size)}
                {item.durationSec !== null && ` · ${formatDuration(item.durationSec)}`}
                {item.id === coverMediaId && <strong> · Main photo</strong>}
                {item.contributorName && ` · added by ${item.contributorName}`}
              </p>
            </div>
            <details className={styles.edit}>
              <summary>
                Edit<span className="visually-hidden"> {nameOf(item, index)}</span>
              </summary>
              <MediaTextField
                item={item}
                field="caption"
                label={CAPTION_LABEL[item.type]}
                max={CAPTION_MAX}
                onChanged={onChanged}
              />
              {item.type !== 'AUDIO' && (
                <MediaTextField
                  item={item}
                  field="alt"
                  label={`What does this ${MEDIA_NOUN[item.type]} show?`}
                  hint="For family who cannot see it."
                  max={ALT_MAX}
                  onChanged={onChanged}
                />
              )}
              <div className={`row ${styles.buttons}`}>
                {item.type === 'IMAGE' && !item.isHeld && item.id !== coverMediaId && (
                  <Button
                    aria-label={`Make main photo: ${nameOf(item, index)}`}
                    onClick={() => void onCover(item.id)}
                  >
                    Make main photo
                  </Button>
                )}
                {item.canDelete && (
                  <Button
                    variant="danger"
                    aria-label={`Delete ${MEDIA_NOUN[item.type]}: ${nameOf(item, index)}`}
                    onClick={() => remove(item)}
                  >
                    Delete {MEDIA_NOUN[item.type]}
                  </Button>
                )}
              </div>
            </details>
          </li>
        ))}
      </ul>
      {shown.length < media.length && (
        <p>
          <Button onClick={showAll}>
            {more ? 'Show the newest' : 'Show all'} {media.length}
          </Button>
        </p>
      )}
      {shown.length === media.length && more}
    </section>
  )
}

/** Tells the buttons of the items apart. */
function nameOf({ caption, type }: Media, index: number): string {
  return caption ?? `${MEDIA_NOUN[type]} ${index + 1}`
}

/** A text field of a media item, saved on blur. */
function MediaTextField({
  item,
  field,
  label,
  hint,
  max,
  onChanged,
}: {
  item: Media
  field: 'caption' | 'alt'
  label: string
  hint?: string
  max: number
  onChanged: (media: Media) => void
}) {
  const [text, setText] = useState(item[field] ?? '')
  const [problem, setProblem] = useState<string>()

  async function save() {
    if (text.trim() === (item[field] ?? '')) return
    try {
      onChanged(await call(api.updateMedia, { params: { id: item.id }, body: { [field]: text } }))
      setProblem(undefined)
    } catch (error) {
      setProblem(errorText(error, messages.system.network))
    }
  }

  return (
    <div className={styles.caption}>
      <TextField
        label={label}
        hint={hint}
        maxLength={max}
        error={problem}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onBlur={() => void save()}
      />
    </div>
  )
}
