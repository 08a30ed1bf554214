/**
 * `npm run soak [-- --minutes=5 --families=5 --relatives=3 --kill-every=20]`: families use the product while its runtime is
 * killed repeatedly. At the end exactly the confirmed changes must exist, and `check:data` must pass. Exit code 1 if not.
 *
 * `npm run soak -- uploads [--rounds=5 --kills=5 --megabytes=120 --seed=1]`: uploads videos in chunks while the runtime is
 * killed at random points. Each must be stored byte for byte.
 */
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { build } from '../build/lib/build.ts'
import { freePort } from '../operate/local/free-port.ts'
import { endWorld, killRuntime, startWorld, type RestartableWorld } from './restartable-world.ts'
import { Family } from './soak-family.ts'
import { sendThroughKills } from './killed-upload.ts'

const MB = 1024 * 1024

/**
 * Uploads one video after another while the runtime is killed at random points. Prints a line for each, and returns true if
 * every download equals its upload.
 */
async function soakUploads(options: {
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
if (positionals[0] === 'uploads') {
  const isIntact = await soakUploads({
    rounds: Number(values.rounds),
    kills: Number(values.kills),
    megabytes: Number(values.megabytes),
    seed: values.seed === undefined ? null : Number(values.seed),
  })
  process.exit(isIntact ? 0 : 1)
}
const killEveryMs = Number(values['kill-every']) * 1000
const world: RestartableWorld = {
  state: mkdtempSync(join(tmpdir(), 'nhaka-soak-')),
  port: await freePort(),
  sandboxPort: await freePort(),
}
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
