import type { ContributorQuotas, TimedQuota } from '#shared/invites.ts'

/** "You can add 10 photos, 1 video (up to 5 minutes) and 1 recording (up to 10 minutes)", and what is used of it. */
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

function many(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function timed({ max, maxDurationSec }: TimedQuota, noun: string): string {
  return `${many(max, noun)} (up to ${many(Math.round(maxDurationSec / 60), 'minute')})`
}
