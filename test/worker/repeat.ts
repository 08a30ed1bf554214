/** Makes `count` calls at the same time. */
export async function atOnce<T>(count: number, call: (n: number) => T | Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => call(n)))
}

/** Makes one call for each, ten at the same time: a busy machine answers as many within the deadlines of `deadlines.ts`. */
export async function tenAtOnce<T, R>(
  all: readonly T[],
  call: (one: T, n: number) => Promise<R>,
): Promise<R[]> {
  const made: R[] = []
  for (let n = 0; n < all.length; n += 10)
    made.push(...(await Promise.all(all.slice(n, n + 10).map((one, i) => call(one, n + i)))))
  return made
}

/** Makes `count` calls one after another. */
export async function inTurn<T>(count: number, call: (n: number) => Promise<T>): Promise<T[]> {
  const made: T[] = []
  for (let n = 0; n < count; n++) made.push(await call(n))
  return made
}

/**
 * Makes a burst of calls within one minute of the clock, which is how the rate limit bindings count here. Repeats a burst that
 * a new minute has divided: it must use a new client, whose address has no calls yet.
 */
export async function inOneMinute<T>(burst: () => Promise<T>): Promise<T> {
  const minute = () => Math.floor(Date.now() / 60_000)
  for (;;) {
    const before = minute()
    const made = await burst()
    if (minute() === before) return made
  }
}

/** The statuses of some answers, the lowest first: for calls made at once, of which any may win. */
export function statusesOf(answers: readonly { status: number }[]): number[] {
  return answers.map(({ status }) => status).toSorted((a, b) => a - b)
}
