import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../operate/local/free-port.ts'
import { sendThroughKills } from './killed-upload.ts'

const MB = 1024 * 1024

/**
 * Uploads one video after another while the runtime is killed at random points. Prints a line for each, and returns true if
 * every download equals its upload.
 */
export async function soakUploads(options: {
  rounds: number
  kills: number
  megabytes: number
  seed: number | null
}): Promise<boolean> {
  let intact = 0
  for (let round = 0; round < options.rounds; round++) {
    const seed = options.seed === null ? randomInt(1_000_000) : options.seed + round
    const state = mkdtempSync(join(tmpdir(), 'nhaka-soak-'))
    const world = { state, port: await freePort(), sandboxPort: await freePort() }
    try {
      const { sent, stored, media, killedAt, seconds } = await sendThroughKills(world, {
        bytes: options.megabytes * MB,
        kills: options.kills,
        seed,
      })
      const isIntact = sent === stored && media.length === 1 && killedAt.length === options.kills
      if (isIntact) intact++
      const points = killedAt.map((bytes) => `${Math.round(bytes / MB)} MB`).join(', ')
      console.log(
        `seed ${seed}: killed at ${points}; ${Math.round(seconds)} s; ${isIntact ? 'identical' : 'DIFFERENT'}`,
      )
      console.log(`  sent   ${sent}\n  stored ${stored}`)
    } finally {
      rmSync(state, { recursive: true, force: true })
    }
  }
  console.log(`${intact} of ${options.rounds} videos were stored unchanged`)
  return intact === options.rounds
}
