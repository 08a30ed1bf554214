import type { ContributorQuotas, TimedQuota } from '#shared/invites.ts'
import { CONTRIBUTOR_QUOTA } from '#shared/limits.ts'
import type { MediaType } from '#shared/media.ts'
import { messages } from '#shared/messages.ts'
import type { Contributor } from '#client/lib/contributor.ts'
import type { FileProblem } from '#client/lib/upload/file-rules.ts'
import { isPending, type UploadItem } from '#client/lib/upload/upload-item.ts'

/** "You can add 10 photos, 1 video (up to 5 minutes) and 1 recording (up to 10 minutes)", and how much is used. */
export function limitsText(quotas: ContributorQuotas): string {
  const { images, video, audio } = quotas
  const limits = `You can add ${many(images.max, 'photo')}, ${timed(video, 'video')} and ${timed(audio, 'recording')}.`
  const used = [
    images.used > 0 && many(images.used, 'photo'),
    video.used > 0 && many(video.used, 'video'),
    audio.used > 0 && many(audio.used, 'recording'),
  ].filter(Boolean)
  return used.length === 0 ? limits : `${limits} You have added ${used.join(' and ')}.`
}

/** Maximum duration of a video or recording in seconds; null if unlimited. Doesn't depend on the used quota. */
export function maxDurationOf(type: MediaType, sender: Contributor['sender']): number | null {
  if (sender === 'owner' || type === 'IMAGE') return null
  return CONTRIBUTOR_QUOTA[type === 'VIDEO' ? 'video' : 'audio'].maxDurationSec
}

/** How many more of each kind a contributor can add. */
export type Left = Record<MediaType, number>

/** The remaining quota, less the uploads that are being checked or sent. */
export function leftOf(
  { images, video, audio }: ContributorQuotas,
  uploads: readonly Pick<UploadItem, 'type' | 'state'>[],
): Left {
  const left = {
    IMAGE: images.max - images.used,
    VIDEO: video.max - video.used,
    AUDIO: audio.max - audio.used,
  }
  for (const upload of uploads) {
    if (upload.type && (upload.state === 'preparing' || isPending(upload))) left[upload.type] -= 1
  }
  return left
}

/** Takes one item of this type from `left`; if none is left, returns the problem before anything is sent. The server decides. */
export function quotaProblem(type: MediaType, left: Left): FileProblem | null {
  left[type] -= 1
  if (left[type] >= 0) return null
  if (type === 'IMAGE') return { title: messages.media.tooManyPhotosTitle, text: messages.media.quotaImages }
  const text = type === 'VIDEO' ? messages.media.quotaVideo : messages.media.quotaAudio
  return { title: messages.media.uploadFailedTitle, text }
}

function many(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function timed({ max, maxDurationSec }: TimedQuota, noun: string): string {
  return `${many(max, noun)} (up to ${many(Math.round(maxDurationSec / 60), 'minute')})`
}
