import type { ContributorQuotas, TimedQuota } from '#shared/invites/invites.ts'
import { CONTRIBUTOR_QUOTA } from '#shared/limits.ts'
import type { MediaType } from '#shared/media/media-types.ts'
import { messages } from '#shared/messages.ts'
import type { Contributor } from '#client/lib/contributor.ts'
import type { FileProblem } from '#client/lib/upload/file-rules.ts'
import { isPending, type UploadItem } from '#client/lib/upload/upload-item.ts'

/** "You can add 10 photos, 1 video (up to 5 minutes) and 1 recording (up to 10 minutes)", and how much is used. */
export function limitsText(quotas: ContributorQuotas): string {
  const { images, video, audio } = quotas
  const limits = `You can add ${plural(images.max, 'photo')}, ${pluralWithDuration(video, 'video')} and ${pluralWithDuration(audio, 'recording')}.`
  const used = [
    images.used > 0 && plural(images.used, 'photo'),
    video.used > 0 && plural(video.used, 'video'),
    audio.used > 0 && plural(audio.used, 'recording'),
  ].filter(Boolean)
  return used.length === 0 ? limits : `${limits} You have added ${used.join(' and ')}.`
}

/** Maximum duration of a video or recording in seconds; null if unlimited. Doesn't depend on the used quota. */
export function maxDurationOf(type: MediaType, sender: Contributor['sender']): number | null {
  if (sender === 'owner' || type === 'IMAGE') return null
  return CONTRIBUTOR_QUOTA[type === 'VIDEO' ? 'video' : 'audio'].maxDurationSec
}

/** How many more of each type a contributor can add. */
export type RemainingQuota = Record<MediaType, number>

/** The remaining quota, less the uploads that are being checked or sent. */
export function remainingQuota(
  { images, video, audio }: ContributorQuotas,
  uploads: readonly Pick<UploadItem, 'type' | 'state'>[],
): RemainingQuota {
  const remaining = {
    IMAGE: images.max - images.used,
    VIDEO: video.max - video.used,
    AUDIO: audio.max - audio.used,
  }
  for (const upload of uploads) {
    if (upload.type && (upload.state === 'preparing' || isPending(upload))) remaining[upload.type] -= 1
  }
  return remaining
}

/** Takes one item of this type from `remaining`; if none is left, returns the problem before anything is sent. The server decides. */
export function quotaProblem(type: MediaType, remaining: RemainingQuota): FileProblem | null {
  remaining[type] -= 1
  if (remaining[type] >= 0) return null
  if (type === 'IMAGE') return { title: messages.media.tooManyPhotosTitle, text: messages.media.quotaImages }
  const text = type === 'VIDEO' ? messages.media.quotaVideo : messages.media.quotaAudio
  return { title: messages.media.uploadFailedTitle, text }
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function pluralWithDuration({ max, maxDurationSec }: TimedQuota, noun: string): string {
  return `${plural(max, noun)} (up to ${plural(Math.round(maxDurationSec / 60), 'minute')})`
}
