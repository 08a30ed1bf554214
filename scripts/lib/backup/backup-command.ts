import { resolve } from 'node:path'
import { BACKUPS_KEPT_DAYS } from '#shared/limits.ts'
import { backUp } from './back-up.ts'
import { Catalogue } from './catalogue.ts'
import { backupNames, readManifest } from './manifest.ts'
import { Vault } from './vault.ts'
import { verifyBackup } from './verify-backup.ts'
import { whichPlace } from './which-place.ts'
import { inBytes, readWords } from './words.ts'
import { StateProblem } from '../local-state.ts'
import { AccountProblem } from '../wrangler.ts'

const USAGE = `Usage: npm run backup -- --to DIR [--remote] [--env NAME] [--keep DAYS]
       npm run backup -- --verify DIR`

const OPTIONS = {
  to: { type: 'string' },
  verify: { type: 'string' },
  keep: { type: 'string', default: String(BACKUPS_KEPT_DAYS) },
  remote: { type: 'boolean', default: false },
  env: { type: 'string' },
} as const

async function make(folder: string, options: { remote: boolean; env: string | undefined; keep: string }) {
  const keepDays = Number(options.keep)
  if (!Number.isInteger(keepDays) || keepDays < 1 || keepDays > BACKUPS_KEPT_DAYS) {
    throw new StateProblem(
      `--keep takes 1 to ${BACKUPS_KEPT_DAYS} days: the privacy page promises that what people deleted is gone by then.`,
    )
  }
  const place = whichPlace(options.remote, options.env, USAGE)
  const { at, database, objects, fetched, problems } = await backUp({
    folder,
    place,
    keepDays,
    now: new Date(),
  })
  const rows = Object.values(database.tables).reduce((sum, table) => sum + table.rows, 0)
  console.log(`${rows} rows in ${Object.keys(database.tables).length} tables`)
  console.log(
    `${objects.count} objects, ${inBytes(objects.bytes)}; fetched now: ${fetched.count}, ${inBytes(fetched.bytes)}`,
  )
  for (const problem of problems) console.error(`MISSING ${problem}`)
  console.log(
    problems.length === 0 ? `Backup of ${at} is whole.` : `Backup of ${at} lacks ${problems.length}.`,
  )
  return problems.length === 0 ? 0 : 1
}

async function verify(folder: string): Promise<number> {
  const names = backupNames(folder)
  if (names.length === 0) throw new StateProblem(`There is no backup in ${folder}.`)
  const catalogue = new Catalogue(folder)
  try {
    const vault = new Vault(folder)
    const seen = new Set<string>()
    let damaged = 0
    for (const name of names) {
      const manifest = readManifest(folder, name)
      const problems = await verifyBackup({
        folder,
        manifest,
        vault,
        seen,
        damaged: (sum) => catalogue.forget(sum),
      })
      damaged += problems.length
      console.log(
        `${problems.length === 0 ? 'ok     ' : 'DAMAGED'} ${name}, ${manifest.objects.count} objects`,
      )
      for (const problem of problems) console.error(`        ${problem}`)
    }
    if (damaged > 0) console.error('The next backup fetches anew what is damaged, where it is still stored.')
    return damaged === 0 ? 0 : 1
  } finally {
    catalogue.close()
  }
}

/** Runs `npm run backup` with these words and prints what it did. Returns the exit code. */
export async function runBackupCommand(words: string[]): Promise<number> {
  try {
    const { to, verify: toVerify, keep, remote, env } = readWords(words, OPTIONS, USAGE)
    if (to !== undefined && toVerify === undefined) return await make(resolve(to), { remote, env, keep })
    if (to === undefined && toVerify !== undefined) return await verify(resolve(toVerify))
    throw new StateProblem(USAGE)
  } catch (error) {
    if (!(error instanceof StateProblem) && !(error instanceof AccountProblem)) throw error
    console.error(error.message)
    return 2
  }
}
