import type { FuneralEvent } from '#shared/funeral/funeral.ts'
import { hostOf } from '#shared/funeral/gathering-words.ts'
import { gatheringMessages } from '#shared/funeral/gathering-messages.ts'
import { ButtonSummary } from '#client/ui/button.tsx'
import styles from './gathering.module.css'

/** The stream or recording at `url`: nothing of it loads here, and the tap says first what it costs. Works without script. */
export function Watch({ url, isRecording, isMain }: { url: string; isRecording: boolean; isMain: boolean }) {
  const host = hostOf(url)
  return (
    <details className={styles.watch}>
      <ButtonSummary variant={isMain ? 'primary' : undefined}>
        Watch {isRecording && 'the recording '}on {host}
      </ButtonSummary>
      <p>{gatheringMessages.watchingCosts}</p>
      <p>
        <a href={url} target="_blank" rel="noopener noreferrer">
          Go to {host}
        </a>
      </p>
    </details>
  )
}

/** What there is to watch of a gathering that is ahead or over, or null. */
export function linkToWatch(event: FuneralEvent, isOver: boolean): string | null {
  if (event.isCancelled) return null
  return isOver ? event.recordingUrl : event.streamUrl
}
