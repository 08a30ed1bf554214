import worker from '#worker/index.ts'

const handle = worker.queue.bind(worker)
let openedAt = Infinity
const running = new Set<MessageBatch>()

worker.queue = async (batch, env, execution) => {
  if (batch.messages.every(({ timestamp }) => timestamp.getTime() < openedAt)) {
    batch.ackAll()
    return
  }
  running.add(batch)
  try {
    await handle(batch, env, execution)
  } finally {
    running.delete(batch)
  }
}

/** From now on the queues deliver new messages. Older ones are dropped: they concern rows of an earlier test file. */
export function openQueues(): void {
  openedAt = Date.now()
}

/** Drops undelivered messages and resolves once the running batches are handled. */
export async function closeQueues(): Promise<void> {
  openedAt = Infinity
  while (running.size > 0) await new Promise((resolve) => setTimeout(resolve, 5))
}
