/**
 * `npm run backup -- --to DIR [--remote] [--env NAME] [--keep DAYS]`: database and objects into a folder, only what is not
 * there yet. `--verify DIR` instead reads every backup in a folder again and compares it with its checksums. Ends with 1
 * where something is missing or damaged, with 2 where nothing could be done. See docs/backup.md.
 */
import { resolve } from 'node:path'
import { BACKUPS_KEPT_DAYS } from '../src/shared/limits.ts'
import { backUp } from './lib/backup/back-up.ts'
import { Catalogue } from './lib/backup/catalogue.ts'
import { backupNames, readManifest } from './lib/backup/manifest.ts'
import { Vault } from './lib/backup/vault.ts'
import { verifyBackup } from './lib/backup/verify-backup.ts'
import { whichPlace } from './lib/backup/which-place.ts'
import { inBytes, readWords } from './lib/backup/words.ts'
import { StateProblem } from './lib/local-state.ts'

const USAGE = `Usage: npm run backup -- --to DIR [--remote] [--env NAME] [--keep DAYS]
       npm run backup -- --verify DIR`

async function make(folder: string, options: { remote: boolean; env: string | undefined; keep: string }) {
  const keepDays = Number(options.keep)
  if (!Number.isInteger(keepDays) || keepDays < 1 || keepDays > BACKUPS_KEPT_DAYS) {
    throw new StateProblem(
      `--keep takes 1 to ${BACKUPS_KEPT_DAYS} days: the privacy page promises that what people deleted is gone by then.`,
    )
  }
  const place = whichPlace(options.remote, options.env)
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

try {
  const words = readWords(
    process.argv.slice(2),
    {
      to: { type: 'string' },
      verify: { type: 'string' },
      keep: { type: 'string', default: String(BACKUPS_KEPT_DAYS) },
      remote: { type: 'boolean', default: false },
      env: { type: 'string' },
    },
    USAGE,
  )
  if ((words.to === undefined) === (words.verify === undefined)) throw new StateProblem(USAGE)
  process.exitCode =
    words.to === undefined
      ? await verify(resolve(words.verify ?? ''))
      : await make(resolve(words.to), { remote: words.remote, env: words.env, keep: words.keep })
} catch (error) {
  if (!(error instanceof StateProblem)) throw error
  console.error(error.message)
  process.exitCode = 2
}
