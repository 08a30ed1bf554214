import type { FuneralEvent } from '../funeral/funeral.ts'

/** Whether people can reply to a gathering at this moment (ms since 1970). The same rule as at the write, except for capacity. */
export function isOpenForReplies(
  {
    takesReplies,
    isCancelled,
    dateTime,
    repliesUntil,
  }: Pick<FuneralEvent, 'takesReplies' | 'isCancelled' | 'dateTime' | 'repliesUntil'>,
  now: number,
): boolean {
  const end = Math.min(Date.parse(dateTime), repliesUntil === null ? Infinity : Date.parse(repliesUntil))
  return takesReplies && !isCancelled && now < end
}
