import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { freePort } from '../../tools/operate/local/free-port.ts'
import { sendThroughKills } from '../../tools/measure/killed-upload.ts'

const BYTES = 120 * 1024 * 1024

test('a 120 MB video arrives unchanged although the server is killed 5 times', async () => {
  const seed = Number(process.env['NHAKA_SEED'] ?? randomInt(1_000_000))
  console.log(`NHAKA_SEED=${seed} kills at the same points again`)
  const state = mkdtempSync(join(tmpdir(), 'nhaka-killed-'))
  const world = { state, port: await freePort(), sandboxPort: await freePort() }
  try {
    const { sent, stored, media, killedAt } = await sendThroughKills(world, { bytes: BYTES, kills: 5, seed })
    expect(killedAt).toHaveLength(5)
    expect(media).toMatchObject([{ type: 'VIDEO', size: BYTES, contributorName: 'Farai' }])
    expect(stored).toBe(sent)
  } finally {
    rmSync(state, { recursive: true, force: true })
  }
})
