/** Something outside took too long. Whether it was done is not known. */
export class DeadlineError extends Error {}

/** What `promise` gives, or a {@link DeadlineError} that names `who` when that takes longer than `timeoutMs`. The work itself goes on. */
export async function withDeadline<T>(promise: Promise<T>, timeoutMs: number, who: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlineError(`${who} did not answer in ${timeoutMs} ms`)), timeoutMs)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
