import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startStack } from '../operate/local/stack.ts'
import { film } from './film.ts'
import { cpuMs, highestDuring, residentMB, runtimePid } from './process.ts'
import { startBucket } from './r2-elsewhere.ts'
import { report } from './results.ts'
import { toUs } from './senders.ts'
import { rounded } from './statistics.ts'

const MB = 1024 * 1024
const FILM_BYTES = 250 * MB
const FILMS = 9
/** After this long without work the runtime has given back what it will. */
const IDLE_MS = 8000
/** What may come on top of an idle runtime, in MB: V8 lets some 64 MB of spent chunks lie before it collects them. */
const GOAL_MB = 96

/**
 * How much resident memory the runtime takes on top of idle while a memorial of 2 GB is exported as one ZIP, and how much
 * processor time; beside the same films downloaded one after another, which is what the runtime itself takes. R2 is elsewhere,
 * as it is at Cloudflare. Fails above the goal.
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
    const owner = await toUs(stack)
    const id = await owner.sendPieces(film(FILM_BYTES))
    // One of each, so that all code is loaded before "idle" is looked at.
    await owner.download(id)
    await owner.takeOut()
    // More rows of the one object: what is read and written is the same, and no disk must hold it eight times.
    await stack.db
      .prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
         INSERT INTO media (id, memorial_id, type, mime_type, size, original_file_name, object_key, has_thumbnail, created_at)
         SELECT id || n.i, memorial_id, type, mime_type, size, original_file_name, object_key, 0, created_at + n.i
         FROM media, n WHERE id = ?1`,
      )
      .bind(id, FILMS - 1)
      .run()
    const measure = async (what: string, work: () => Promise<number>) => {
      await wait(IDLE_MS)
      const idle = residentMB(pid)
      const [cpu, begun] = [cpuMs(pid), performance.now()]
      let bytes = 0
      const highest = await highestDuring(pid, async () => {
        bytes = await work()
      })
      const GB = bytes / (1024 * MB)
      return {
        what,
        GB: rounded(GB),
        seconds: rounded((performance.now() - begun) / 1000),
        idleMB: rounded(idle),
        highestMB: rounded(highest),
        grownMB: rounded(highest - idle),
        cpuSecondsPerGB: rounded((cpuMs(pid) - cpu) / 1000 / GB),
      }
    }
    const exported = await measure('export', () => owner.takeOut())
    const plain = await measure('films one by one', async () => {
      let bytes = 0
      for (let n = 0; n < FILMS; n++) bytes += await owner.download(id)
      return bytes
    })
    report('export', [exported, plain])
    if (exported.GB < rounded((FILMS * FILM_BYTES) / (1024 * MB)) || exported.grownMB > GOAL_MB) {
      console.error(`Not whole, or more than ${GOAL_MB} MB on top of idle.`)
      process.exitCode = 1
    }
  } finally {
    await stack.close()
    bucket.close()
    rmSync(state, { recursive: true, force: true })
  }
}
