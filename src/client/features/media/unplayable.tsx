import { MEDIA_NOUN, type Media } from '#shared/media.ts'
import { cannotPlay, formatBytes } from '#shared/messages.ts'
import { mediaPath } from '#client/lib/links.ts'
import { ButtonAnchor } from '#client/ui/button.tsx'
import styles from './recording.module.css'

/** What stands in the place of a player: why it does not play here, and the way to the file. */
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
 * False where this browser says itself that it has no player for such a file (AVI, say). True is not a promise: what a file
 * is coded in shows when it is played.
 */
export function mayPlay({ type, mimeType }: Media): boolean {
  const player = document.createElement(type === 'VIDEO' ? 'video' : 'audio')
  // QuickTime of a phone is MP4 by another name: browsers deny the name and play the file.
  const name = mimeType === 'video/quicktime' ? 'video/mp4' : mimeType
  // Opus in Ogg has a second way (`as=caf`), decided by the player.
  return mimeType === 'audio/ogg' || player.canPlayType(name) !== ''
}
