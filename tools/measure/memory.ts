import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startStack } from '../operate/local/stack.ts'
import { startBareServer } from './bare-server.ts'
import { makeVideo } from './film.ts'
import { highestDuring, residentMB, runtimePid } from './process.ts'
import { startBucket } from './r2-elsewhere.ts'
import { report } from './results.ts'
import { rounded } from './statistics.ts'
import { bareSender, formOf, productSender, type Sender } from './senders.ts'

const MB = 1024 * 1024
const AT_ONCE = 8
const UPLOAD_BYTES = 100 * MB
const DOWNLOAD_BYTES = 250 * MB
/** After this long without work the runtime has released its memory. */
const IDLE_MS = 8000
/** Allowed growth over an idle runtime, in MB. */
const GOAL_MB = 64

type Row = { worker: string; uploads: string; idleMB: number; highestMB: number; grownMB: number }

/** Eight uploads and eight downloads at once, first with chunked uploads, then with uploads in one request. */
async function measure(worker: string, sender: Sender): Promise<Row[]> {
  const pid = runtimePid()
  const file = makeVideo(UPLOAD_BYTES)
  const wrapped = formOf(file)
  const large = await sender.sendChunks(makeVideo(DOWNLOAD_BYTES))
  // One of each, so that all code is loaded before the idle measurement.
  await sender.remove(await sender.sendForm(wrapped))
  await sender.download(large)
  const rows: Row[] = []
  for (const [uploads, send] of [
    ['in chunks', () => sender.sendChunks(file)],
    ['in one request', () => sender.sendForm(wrapped)],
  ] as const) {
    await wait(IDLE_MS)
    const idle = residentMB(pid)
    let uploaded: string[] = []
    const highest = await highestDuring(pid, async () => {
      const downloads = Promise.all(Array.from({ length: AT_ONCE }, () => sender.download(large)))
      const [ids] = await Promise.all([Promise.all(Array.from({ length: AT_ONCE }, send)), downloads])
      uploaded = ids
    })
    for (const id of uploaded) await sender.remove(id)
    rows.push({
      worker,
      uploads,
      idleMB: rounded(idle),
      highestMB: rounded(highest),
      grownMB: rounded(highest - idle),
    })
  }
  return rows
}

/**
 * Measures the runtime's memory growth over idle during eight uploads of 100 MB and eight downloads of 250 MB at once. R2 runs in
 * another process, as at Cloudflare. A bare Worker with the same traffic is the baseline. Fails above the goal.
 */
export async function measureMemory(): Promise<void> {
  const state = mkdtempSync(join(tmpdir(), 'nhaka-bench-'))
  const bucket = await startBucket(join(state, 'bucket'))
  try {
    // One after the other, so that only the measured runtime is running.
    const stack = await startStack({
      port: 0,
      sandboxPort: 0,
      state: join(state, 'ours'),
      bucketUrl: bucket.url,
    })
    const ours = await measure('ours', await productSender(stack))
    await stack.close()
    const bare = await startBareServer(join(state, 'bare'), bucket.url)
    const theirs = await measure('bare', bareSender(bare.url))
    await bare.close()
    report('memory', [...ours, ...theirs])
    if (ours.some(({ grownMB }) => grownMB > GOAL_MB)) {
      console.error(`Memory grew by more than ${GOAL_MB} MB over idle.`)
      process.exitCode = 1
    }
  } finally {
    bucket.close()
    rmSync(state, { recursive: true, force: true })
  }
}
