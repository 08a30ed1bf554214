import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../operate/local/free-port.ts'
import { sendThroughKills } from './killed-upload.ts'

const MB = 1024 * 1024

/**
 * Sends one video after another while the runtime is killed, each time at other random points. Prints a line each; returns
 * whether every one came back as it was sent.
 */
export async function soakUploads(how: {
  rounds: number
  kills: number
  megabytes: number
  seed: number | null
}): Promise<boolean> {
  let right = 0
  for (let round = 0; round < how.rounds; round++) {
    const seed = how.seed === null ? randomInt(1_000_000) : how.seed + round
    const state = mkdtempSync(join(tmpdir(), 'nhaka-soak-'))
    const world = { state, port: await freePort(), sandboxPort: await freePort() }
    try {
      const { sent, kept, media, killedAt, seconds } = await sendThroughKills(world, {
        bytes: how.megabytes * MB,
        kills: how.kills,
        seed,
      })
      const isRight = sent === kept && media.length === 1 && killedAt.length === how.kills
      if (isRight) right++
      const places = killedAt.map((bytes) => `${Math.round(bytes / MB)} MB`).join(', ')
      console.log(
        `seed ${seed}: killed at ${places}; ${Math.round(seconds)} s; ${isRight ? 'same' : 'NOT THE SAME'}`,
      )
      console.log(`  sent ${sent}\n  kept ${kept}`)
    } finally {
      rmSync(state, { recursive: true, force: true })
    }
  }
  console.log(`${right} of ${how.rounds} came back as they were sent`)
  return right === how.rounds
}
