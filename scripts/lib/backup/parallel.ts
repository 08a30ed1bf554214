/** Does the work for each, several at once, and takes the next only when one is done. The first failure ends it. */
export async function inParallel<T>(
  items: AsyncIterable<T> | Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>()
  for await (const item of items) {
    const one = work(item).then(() => void running.delete(one))
    running.add(one)
    // A failure stays among them: it is thrown by the race or at the end, not lost, nor as one that nobody took.
    one.catch(() => null)
    if (running.size >= atOnce) await Promise.race(running)
  }
  await Promise.all(running)
}
