import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startStack } from '../operate/local/stack.ts'
import { makeVideo } from './film.ts'
import { cpuMs, highestDuring, residentMB, runtimePid } from './process.ts'
import { startBucket } from './r2-elsewhere.ts'
import { report } from './results.ts'
import { productSender } from './senders.ts'
import { rounded } from './statistics.ts'

const MB = 1024 * 1024
const VIDEO_BYTES = 250 * MB
const VIDEOS = 9
/** After this long without work the runtime has released its memory. */
const IDLE_MS = 8000
/** Allowed growth over an idle runtime, in MB. V8 collects used chunks only after about 64 MB. */
const GOAL_MB = 96

/**
 * Measures the runtime's memory growth over idle and its CPU time while it exports a memorial of 2 GB as one ZIP. The baseline
 * downloads the same videos one after another. R2 runs in another process, as at Cloudflare. Fails above the goal.
 */
export async function measureExport(): Promise<void> {
  const state = mkdtempSync(join(tmpdir(), 'nhaka-bench-'))
  const bucket = await startBucket(join(state, 'bucket'))
  const stack = await startStack({
    port: 0,
    sandboxPort: 0,
    state: join(state, 'ours'),
    bucketUrl: bucket.url,
  })
  try {
    const pid = runtimePid()
    const owner = await productSender(stack)
    const id = await owner.sendChunks(makeVideo(VIDEO_BYTES))
    // One of each, so that all code is loaded before the idle measurement.
    await owner.download(id)
    await owner.downloadExport()
    // More rows for the same object: the bytes read and written are the same, without the disk space.
    await stack.db
      .prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
         INSERT INTO media (id, memorial_id, type, mime_type, size, original_file_name, object_key, has_thumbnail, created_at)
         SELECT id || n.i, memorial_id, type, mime_type, size, original_file_name, object_key, 0, created_at + n.i
         FROM media, n WHERE id = ?1`,
      )
      .bind(id, VIDEOS - 1)
      .run()
    const measure = async (name: string, work: () => Promise<number>) => {
      await wait(IDLE_MS)
      const idle = residentMB(pid)
      const [cpu, startedAt] = [cpuMs(pid), performance.now()]
      let bytes = 0
      const highest = await highestDuring(pid, async () => {
        bytes = await work()
      })
      const GB = bytes / (1024 * MB)
      return {
        what: name,
        GB: rounded(GB),
        seconds: rounded((performance.now() - startedAt) / 1000),
        idleMB: rounded(idle),
        highestMB: rounded(highest),
        grownMB: rounded(highest - idle),
        cpuSecondsPerGB: rounded((cpuMs(pid) - cpu) / 1000 / GB),
      }
    }
    const exported = await measure('export', () => owner.downloadExport())
    const plain = await measure('videos one by one', async () => {
      let bytes = 0
      for (let n = 0; n < VIDEOS; n++) bytes += await owner.download(id)
      return bytes
    })
    report('export', [exported, plain])
    if (exported.GB < rounded((VIDEOS * VIDEO_BYTES) / (1024 * MB)) || exported.grownMB > GOAL_MB) {
      console.error(`The export is incomplete, or used more than ${GOAL_MB} MB over idle.`)
      process.exitCode = 1
    }
  } finally {
    await stack.close()
    bucket.close()
    rmSync(state, { recursive: true, force: true })
  }
}
