import { MEDIA_NOUN, type Media } from '#shared/media.ts'
import { cannotPlay, formatBytes } from '#shared/messages.ts'
import { mediaPath } from '#client/lib/links.ts'
import { ButtonAnchor } from '#client/ui/button.tsx'
import styles from './recording.module.css'

/** Replaces a player: why the file doesn't play here, and a link to download it. */
export function Unplayable({ item, invite }: { item: Media; invite: string | undefined }) {
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

/**
 * False if this browser reports that it can't play the format, such as AVI. True is no guarantee: codec problems only show
 * during playback.
 */
export function mayPlay({ type, mimeType }: Media): boolean {
  const player = document.createElement(type === 'VIDEO' ? 'video' : 'audio')
  // QuickTime from phones is MP4 under another MIME type: browsers reject the type but play the file.
  const name = mimeType === 'video/quicktime' ? 'video/mp4' : mimeType
  // Opus in Ogg has a fallback source (`as=caf`); the player chooses.
  return mimeType === 'audio/ogg' || player.canPlayType(name) !== ''
}
