/**
 * `npm run soak [-- --minutes=5 --families=5 --relatives=3 --kill-every=20]`: families use the product while its runtime is
 * killed repeatedly. At the end exactly the confirmed changes must exist, and `check:data` must pass. Exit code 1 if not.
 *
 * `npm run soak -- orders [--orders=200 --seed=1 --kill-every=1.5]`: accounts pay by card, phone and Paynow's page, others pay for them by links
 * and gifts, with random faults of the providers, while the runtime is killed at random times. At the end our ledger, the
 * providers' records and the credits must agree.
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
import { UNPAID_DRAFTS_MAX } from '../../src/shared/limits.ts'
import { build } from '../build/lib/build.ts'
import { endWorld, killRuntime, newWorld, startWorld, type RestartableWorld } from './restartable-world.ts'
import { Family } from './soak-family.ts'
import { Payer, randomOf } from './soak-orders.ts'
import { sendThroughKills } from './killed-upload.ts'

const MB = 1024 * 1024
const ROOT = resolve(import.meta.dirname, '../..')

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
    'kill-every': { type: 'string' },
    orders: { type: 'string', default: '200' },
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

/** Runs one of the operator's commands on this data folder. Returns true if it succeeds. */
function succeeds(script: string, { state, sandboxPort }: RestartableWorld): boolean {
  const args = ['--disable-warning=ExperimentalWarning', `tools/operate/${script}.ts`]
  const env = { ...process.env, NHAKA_STATE: state, SANDBOX_PORT: String(sandboxPort) }
  return spawnSync(process.execPath, args, { cwd: ROOT, env, stdio: 'inherit' }).status === 0
}

/** As many drafts as an account may leave unpaid. */
const ORDERS_PER_PAYER = UNPAID_DRAFTS_MAX
/** Seconds between two kills, on average. */
const KILL_EVERY = { families: 20, orders: 1.5 }

async function soakOrders(): Promise<boolean> {
  const seed = values.seed === undefined ? randomInt(1_000_000) : Number(values.seed)
  const random = randomOf(seed)
  using folder = mkdtempDisposableSync(join(tmpdir(), 'nhaka-soak-'))
  const place = await newWorld(folder.path)
  build()
  let running = await startWorld(place)
  const addresses = {
    url: `http://localhost:${place.port}`,
    sandboxUrl: `http://127.0.0.1:${place.sandboxPort}`,
  }
  try {
    const payers: Payer[] = []
    for (let at = 0; at < Number(values.orders) / ORDERS_PER_PAYER; at++)
      payers.push(await Payer.create(addresses, at, random))
    console.log(`seed ${seed}: ${values.orders} orders by ${payers.length} accounts`)
    let isOver = false
    let kills = 0
    let faults = 0
    const countFaults = async () => {
      const answer = await fetch(`${addresses.sandboxUrl}/faults`, { headers: { Connection: 'close' } })
      faults += ((await answer.json()) as { taken: number }).taken
    }
    const killEveryMs = Number(values['kill-every'] ?? KILL_EVERY.orders) * 1000
    const killer = (async () => {
      for (;;) {
        await wait(random(2 * killEveryMs))
        if (isOver) return
        // The sandbox counts anew after each start.
        await countFaults()
        await killRuntime(place, running)
        running = await startWorld(place)
        kills += 1
      }
    })()
    // Three at a time, as on a busy day.
    const queue = payers.flatMap((payer, at) => {
      const left = Number(values.orders) - at * ORDERS_PER_PAYER
      return [{ payer, orders: Math.min(ORDERS_PER_PAYER, left) }]
    })
    const worker = async () => {
      for (let next = queue.shift(); next; next = queue.shift())
        for (let at = 0; at < next.orders; at++) await next.payer.order()
    }
    await Promise.all([worker(), worker(), worker()])
    isOver = true
    await killer
    await countFaults()
    await fetch(`${addresses.sandboxUrl}/faults`, { method: 'DELETE' })
    // Nobody asks Paynow about a payment twice within four seconds.
    await wait(5000)
    const settled = await Promise.all(payers.map((payer) => payer.settle()))
    const tried = (kind: keyof Payer['tried']) => payers.reduce((sum, payer) => sum + payer.tried[kind], 0)
    console.log(
      `${tried('card')} by card, ${tried('phone')} by phone, ${tried('web')} on Paynow's page, ${tried('both')} by card and phone at once, ` +
        `${tried('link')} by somebody else, ${tried('gift')} gifts; ${settled.flat().length} payments listed; ` +
        `${faults} faults used; killed ${kills} times`,
    )
    if (faults === 0 || kills === 0) throw new Error('Nothing broke, so this run proves nothing.')
    const isAgreed = succeeds('reconcile', place)
    return succeeds('check-data', place) && isAgreed
  } finally {
    await endWorld(running)
  }
}

if (positionals[0] === 'orders') process.exit((await soakOrders()) ? 0 : 1)
if (positionals[0] === 'uploads') process.exit((await soakUploads()) ? 0 : 1)
const killEveryMs = Number(values['kill-every'] ?? KILL_EVERY.families) * 1000
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
  const isSound = succeeds('check-data', world)
  process.exitCode = differences.length === 0 && isSound ? 0 : 1
} finally {
  await endWorld(server)
  if (process.exitCode === 0) rmSync(world.state, { recursive: true, force: true })
  else console.log(`The data is in ${world.state}.`)
}
