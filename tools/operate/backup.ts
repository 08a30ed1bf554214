/**
 * `npm run backup -- --to FOLDER [--remote] [--env NAME]` backs up the database and the objects. Exit code 1: the backup is
 * complete, but files are missing in the bucket; 2: there is no backup. See docs/backup.md.
 */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { backUp } from './backup/back-up.ts'
import { FLAG, runCommand, TEXT, withPlace } from './backup/command.ts'
import { StateError } from './local/local-state.ts'

const USAGE = 'Usage: npm run backup -- --to FOLDER [--remote] [--env NAME]'

await runCommand(USAGE, async () => {
  const { to, ...where } = parseArgs({ options: { to: TEXT, remote: FLAG, env: TEXT } }).values
  if (to === undefined) throw new StateError(USAGE)
  const report = await withPlace(where, USAGE, (place) => backUp(resolve(to), place, new Date()))
  console.log(`Backup ${report.name}: ${report.objects} objects, ${report.fetched} of them downloaded now.`)
  for (const problem of report.problems) console.error(problem)
  return report.problems.length === 0 ? 0 : 1
})
