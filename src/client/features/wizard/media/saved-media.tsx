import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#shared/api.ts'
import { ALT_MAX, CAPTION_MAX } from '#shared/limits.ts'
import { MEDIA_NAME, MEDIA_NOUN, type Media } from '#shared/media.ts'
import { formatBytes, messages } from '#shared/messages.ts'
import { call, errorText } from '#client/lib/call.ts'
import { offerUndo } from '#client/lib/removed.ts'
import { showFailure } from '#client/lib/toast-store.ts'
import { Button } from '#client/ui/button.tsx'
import { TextField } from '#client/ui/field.tsx'
import { PlaceholderImage } from '#client/ui/placeholder-image.tsx'
import styles from './media.module.css'

const CAPTION_LABEL = {
  IMAGE: 'Caption',
  VIDEO: 'Caption',
  AUDIO: 'Caption: who speaks, and what about?',
} as const

/** The memorial's saved media: edit texts, choose the main photo, delete. */
export function SavedMedia({
  memorialId,
  media,
  coverMediaId,
  onCover,
  onChanged,
  onDeleted,
}: {
  memorialId: string
  media: readonly Media[]
  coverMediaId: string | null
  onCover: (id: string) => Promise<void>
  onChanged: (media: Media) => void
  onDeleted: (id: string) => void
}) {
  const client = useQueryClient()

  async function remove(item: Media) {
    try {
      await call(api.deleteMedia, { params: { id: item.id } })
      onDeleted(item.id)
      offerUndo(client, memorialId, { kind: 'media', id: item.id })
    } catch (error) {
      showFailure(messages.media.deleteFailedTitle, error, messages.system.network)
    }
  }

  if (media.length === 0) return null
  return (
    <section aria-labelledby="saved-media-title">
      <h3 id="saved-media-title">On the memorial now</h3>
      <ul className={styles.list}>
        {media.map((item) => (
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
              <p className={styles.name}>{item.originalFileName}</p>
              <p className={`small-muted ${styles.meta}`}>
                {MEDIA_NAME[item.type]} · {formatBytes(item.size)}
                {item.id === coverMediaId && <strong> · Main photo</strong>}
                {item.contributorName && ` · added by ${item.contributorName}`}
              </p>
            </div>
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
              {item.type === 'IMAGE' && item.id !== coverMediaId && (
                <Button
                  aria-label={`Make main photo: ${item.originalFileName}`}
                  onClick={() => void onCover(item.id)}
                >
                  Make main photo
                </Button>
              )}
              {item.canDelete && (
                <Button
                  variant="danger"
                  aria-label={`Delete ${MEDIA_NOUN[item.type]}: ${item.originalFileName}`}
                  onClick={() => void remove(item)}
                >
                  Delete {MEDIA_NOUN[item.type]}
                </Button>
              )}
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
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
