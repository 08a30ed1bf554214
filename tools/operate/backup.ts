/**
 * `npm run backup -- --to FOLDER [--remote] [--env NAME]` backs up the database and the objects. Exit code 1: the backup is
 * complete, but files are missing in the bucket; 2: there is no backup. See docs/backup.md.
 */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { backUp } from './backup/back-up.ts'
import { FLAG, TEXT, withPlace } from './backup/place.ts'
import { OperatorError, runCommand } from './local/command.ts'

const USAGE = 'Usage: npm run backup -- --to FOLDER [--remote] [--env NAME]'

// Backups contain private data: no other user of this machine may read what this process or wrangler writes.
process.umask(0o077)
await runCommand(USAGE, 2, async () => {
  const { to, ...where } = parseArgs({ options: { to: TEXT, remote: FLAG, env: TEXT } }).values
  if (to === undefined) throw new OperatorError(USAGE)
  const report = await withPlace(where, USAGE, (place) => backUp(resolve(to), place, new Date()))
  console.log(`Backup ${report.name}: ${report.objects} objects, ${report.fetched} of them downloaded now.`)
  for (const problem of report.problems) console.error(problem)
  return report.problems.length === 0 ? 0 : 1
})
