/**
 * `npm run soak [-- --minutes=5 --families=5 --relatives=3 --kill-every=20]`: families use the product while its runtime is
 * killed repeatedly. At the end exactly the confirmed changes must exist, and `check:data` must pass. Exit code 1 if not.
 *
 * `npm run soak -- uploads [--rounds=5 --kills=5 --megabytes=120 --seed=1]`: uploads videos in chunks while the runtime is
 * killed at random points. Each must be stored byte for byte.
 */
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtempDisposableSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { build } from '../build/lib/build.ts'
import { endWorld, killRuntime, newWorld, startWorld } from './restartable-world.ts'
import { Family } from './soak-family.ts'
import { sendThroughKills } from './killed-upload.ts'

const MB = 1024 * 1024

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    kills: { type: 'string', default: '5' },
    megabytes: { type: 'string', default: '120' },
    seed: { type: 'string' },
    minutes: { type: 'string', default: '5' },
    families: { type: 'string', default: '5' },
    relatives: { type: 'string', default: '3' },
    'kill-every': { type: 'string', default: '20' },
  },
})

/**
 * Uploads one video after another while the runtime is killed at random points. Prints a line for each, and returns true if
 * every download equals its upload.
 */
async function soakUploads(): Promise<boolean> {
  const [rounds, kills, bytes] = [Number(values.rounds), Number(values.kills), Number(values.megabytes) * MB]
  let intact = 0
  for (let round = 0; round < rounds; round++) {
    const seed = values.seed === undefined ? randomInt(1_000_000) : Number(values.seed) + round
    using folder = mkdtempDisposableSync(join(tmpdir(), 'nhaka-soak-'))
    const world = await newWorld(folder.path)
    const { sent, stored, media, killedAt, seconds } = await sendThroughKills(world, { bytes, kills, seed })
    const isIntact = sent === stored && media.length === 1 && killedAt.length === kills
    if (isIntact) intact++
    const points = killedAt.map((at) => `${Math.round(at / MB)} MB`).join(', ')
    console.log(
      `seed ${seed}: killed at ${points}; ${Math.round(seconds)} s; ${isIntact ? 'identical' : 'DIFFERENT'}`,
    )
    console.log(`  sent   ${sent}\n  stored ${stored}`)
  }
  console.log(`${intact} of ${rounds} videos were stored unchanged`)
  return intact === rounds
}

if (positionals[0] === 'uploads') process.exit((await soakUploads()) ? 0 : 1)
const killEveryMs = Number(values['kill-every']) * 1000
const world = await newWorld(mkdtempSync(join(tmpdir(), 'nhaka-soak-')))
const url = `http://localhost:${world.port}`
build()
let server = await startWorld(world)
try {
  const families: Family[] = []
  for (let at = 0; at < Number(values.families); at++) {
    const sandboxUrl = `http://127.0.0.1:${world.sandboxPort}`
    families.push(await Family.create(url, sandboxUrl, at, Number(values.relatives)))
  }
  console.log(
    `${families.length} families of ${1 + Number(values.relatives)} people, ${values.minutes} minutes`,
  )

  const until = Date.now() + Number(values.minutes) * 60_000
  const activity = Promise.all(families.map((family) => family.live(() => Date.now() > until)))
  let kills = 0
  while (Date.now() + killEveryMs < until) {
    await wait(killEveryMs)
    await killRuntime(world, server)
    server = await startWorld(world)
    console.log(`killed ${++kills} times`)
  }
  await activity

  const differences = (await Promise.all(families.map((family) => family.differences()))).flat()
  const sum = (name: 'done' | 'retried' | 'refused') =>
    families.reduce((total, { counts }) => total + counts[name], 0)
  console.log(`${kills} kills; ${sum('done')} done, ${sum('retried')} retried, ${sum('refused')} refused`)
  console.log(differences.join('\n') || 'The memorials contain exactly the confirmed changes.')
  const check = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', 'tools/operate/check-data.ts'],
    {
      cwd: resolve(import.meta.dirname, '../..'),
      env: { ...process.env, NHAKA_STATE: world.state },
      stdio: 'inherit',
    },
  )
  process.exitCode = differences.length === 0 && check.status === 0 ? 0 : 1
} finally {
  await endWorld(server)
  if (process.exitCode === 0) rmSync(world.state, { recursive: true, force: true })
  else console.log(`The data is in ${world.state}.`)
}
