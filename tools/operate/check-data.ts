/**
 * `npm run check:data [-- --flag-refunds] [--remote [--env NAME]]` checks the invariants of the data, prints a line for each, and exits with code
 * 1 if one is broken. Locally (folder NHAKA_STATE, default .nhaka) it reads the database, objects, quotas and the sandbox's
 * records; `npm start` may be running. With `--remote` it reads only the deployed database, because wrangler's sign-in cannot
 * list objects or Durable Objects. It changes nothing, except with `--flag-refunds`: that first puts payments of people who paid
 * twice on the refund list of the admin console.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { localDatabase, remoteDatabase } from './admin/database.ts'
import { FLAG_PAID_TWICE } from './invariants/database-rules.ts'
import { checkInvariants, problemsOf, type Finding, type State } from './invariants/invariants.ts'
import { readPlace } from './cloud/environments.ts'
import { localState } from './local/local-state.ts'
import { remoteRows } from './cloud/remote-database.ts'
import { OperatorError, runCommand } from './local/command.ts'

/** Wait between two checks of a running server. By then any write in several steps has finished. */
const RECHECK_MS = 4000

async function findAll(read: () => State): Promise<Finding[]> {
  const first = await checkInvariants(read())
  if (first.every(({ problems }) => problems.length === 0)) return first
  await wait(RECHECK_MS)
  const again = await checkInvariants(read())
  const before = new Set(problemsOf(first))
  return again.map(({ rule, checked, problems }) => ({
    rule,
    checked,
    problems: problems.filter((problem) => before.has(`${rule}: ${problem}`)),
  }))
}

function report(findings: Finding[]): number {
  let broken = 0
  for (const { rule, checked, problems } of findings) {
    broken += problems.length
    console.log(`${problems.length === 0 ? 'ok    ' : 'BROKEN'} ${String(checked).padStart(6)}  ${rule}`)
    for (const problem of problems) console.log(`               ${problem}`)
  }
  console.log(broken === 0 ? 'Everything holds.' : `${broken} problems.`)
  return broken === 0 ? 0 : 1
}

const USAGE = 'Usage: npm run check:data [-- --flag-refunds] [--remote [--env production|staging]]'
await runCommand(USAGE, 2, async () => {
  const args = process.argv.slice(2)
  const isFlagging = args[0] === '--flag-refunds'
  const { rest, env } = readPlace(args.slice(Number(isFlagging)), USAGE)
  if (rest.length > 0) throw new OperatorError(USAGE)
  const state = process.env['NHAKA_STATE'] || '.nhaka'
  if (isFlagging) {
    const run = env === null ? localDatabase(state) : remoteDatabase(env)
    const flagged = run([FLAG_PAID_TWICE]).map(({ id }) => String(id))
    console.log(`Put on the refund list: ${flagged.join(', ') || 'nothing, because nobody paid twice'}.`)
  }
  if (env === null) return report(await findAll(() => localState(state)))
  console.log('Checking only the deployed database, not objects, quotas or sent mails.')
  const remote = (): State => ({
    now: Date.now(),
    sql: async <T>(query: string) => (remoteRows([query], env)[0] ?? []) as T[],
    all: async (queries) => remoteRows(queries, env),
  })
  return report(await findAll(remote))
})
