/** State of the entry in the browser's history at `/` to which an invitation leads that does not open. */
export type FailedInvite = { failedInvite: string; title: string; text: string; mayRetry: boolean }

/** The state, if an invitation failed. */
export function failedInviteOf(state: unknown): FailedInvite | null {
  return typeof state === 'object' && state && 'failedInvite' in state ? (state as FailedInvite) : null
}
