import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startStack } from '../operate/local/stack.ts'
import { startBareServer } from './bare-server.ts'
import { videoOf } from './killed-upload.ts'
import { cpuMs, highestDuring, residentMB, runtimePid } from './process.ts'
import { startBucket } from './r2-elsewhere.ts'
import { report, rounded } from './results.ts'
import { bareSender, formOf, productSender, type Sender } from './senders.ts'

const MB = 1024 * 1024
const AT_ONCE = 8
const UPLOAD_BYTES = 100 * MB
const DOWNLOAD_BYTES = 250 * MB
/** After this long without work the runtime has released its memory. */
const IDLE_MS = 8000
/** Allowed growth over an idle runtime, in MB. */
const GOAL_MB = 64

/** The runtime's memory (MB) when it is idle, and the highest during `work`. */
async function growthDuring(pid: number, work: () => Promise<unknown>) {
  await wait(IDLE_MS)
  const idle = residentMB(pid)
  const highest = await highestDuring(pid, work)
  return { idleMB: rounded(idle), highestMB: rounded(highest), grownMB: rounded(highest - idle) }
}

type Row = { worker: string; uploads: string; idleMB: number; highestMB: number; grownMB: number }

/** Eight uploads and eight downloads at once, first with chunked uploads, then with uploads in one request. */
async function measure(worker: string, sender: Sender): Promise<Row[]> {
  const pid = runtimePid()
  const file = videoOf(UPLOAD_BYTES)
  const wrapped = formOf(file)
  const large = await sender.sendChunks(videoOf(DOWNLOAD_BYTES))
  // One of each, so that all code is loaded before the idle measurement.
  await sender.remove(await sender.sendForm(wrapped))
  await sender.download(large)
  const rows: Row[] = []
  for (const [uploads, send] of [
    ['in chunks', () => sender.sendChunks(file)],
    ['in one request', () => sender.sendForm(wrapped)],
  ] as const) {
    let uploaded: string[] = []
    const growth = await growthDuring(pid, async () => {
      const downloads = Promise.all(Array.from({ length: AT_ONCE }, () => sender.download(large)))
      const [ids] = await Promise.all([Promise.all(Array.from({ length: AT_ONCE }, send)), downloads])
      uploaded = ids
    })
    for (const id of uploaded) await sender.remove(id)
    rows.push({ worker, uploads, ...growth })
  }
  return rows
}

/**
 * Measures the runtime's memory growth over idle during eight uploads of 100 MB and eight downloads of 250 MB at once. R2 runs in
 * another process, as at Cloudflare. A bare Worker with the same traffic is the baseline. Fails above the goal.
 */
export async function measureMemory(): Promise<void> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'nhaka-bench-'))
  using bucket = await startBucket(join(folder.path, 'bucket'))
  const rows: Row[] = []
  // One after the other, so that only the measured runtime is running.
  {
    await using stack = await startStack({ state: join(folder.path, 'ours'), bucketUrl: bucket.url })
    rows.push(...(await measure('ours', await productSender(stack))))
  }
  {
    await using bare = await startBareServer(join(folder.path, 'bare'), bucket.url)
    rows.push(...(await measure('bare', bareSender(bare.url))))
  }
  report('memory', rows)
  if (rows.some(({ worker, grownMB }) => worker === 'ours' && grownMB > GOAL_MB)) {
    console.error(`Memory grew by more than ${GOAL_MB} MB over idle.`)
    process.exitCode = 1
  }
}

const VIDEO_BYTES = 250 * MB
const VIDEOS = 9
/** Allowed growth over an idle runtime, in MB. V8 collects used chunks only after about 64 MB. */
const EXPORT_GOAL_MB = 96

/**
 * Measures the runtime's memory growth over idle and its CPU time while it exports a memorial of 2 GB as one ZIP. The baseline
 * downloads the same videos one after another. R2 runs in another process, as at Cloudflare. Fails above the goal.
 */
export async function measureExport(): Promise<void> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'nhaka-bench-'))
  using bucket = await startBucket(join(folder.path, 'bucket'))
  await using stack = await startStack({ state: join(folder.path, 'ours'), bucketUrl: bucket.url })
  const pid = runtimePid()
  const owner = await productSender(stack)
  const id = await owner.sendChunks(videoOf(VIDEO_BYTES))
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
  const measureOne = async (what: string, work: () => Promise<number>) => {
    let [bytes, seconds, cpuSeconds] = [0, 0, 0]
    const growth = await growthDuring(pid, async () => {
      const [cpu, startedAt] = [cpuMs(pid), performance.now()]
      bytes = await work()
      seconds = (performance.now() - startedAt) / 1000
      cpuSeconds = (cpuMs(pid) - cpu) / 1000
    })
    const GB = bytes / (1024 * MB)
    const cpuSecondsPerGB = rounded(cpuSeconds / GB)
    return { what, GB: rounded(GB), seconds: rounded(seconds), ...growth, cpuSecondsPerGB }
  }
  const exported = await measureOne('export', () => owner.downloadExport())
  const plain = await measureOne('videos one by one', async () => {
    let bytes = 0
    for (let n = 0; n < VIDEOS; n++) bytes += await owner.download(id)
    return bytes
  })
  report('export', [exported, plain])
  if (exported.GB < rounded((VIDEOS * VIDEO_BYTES) / (1024 * MB)) || exported.grownMB > EXPORT_GOAL_MB) {
    console.error(`The export is incomplete, or used more than ${EXPORT_GOAL_MB} MB over idle.`)
    process.exitCode = 1
  }
}
