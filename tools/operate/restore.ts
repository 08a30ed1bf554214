/**
 * `npm run restore -- --from FOLDER [--at NAME] [--remote] [--env NAME] [--yes]` restores the newest backup, or the one that
 * `--at` names. Without `--yes` it refuses to replace existing data. Exit code 2: it failed. See docs/backup.md.
 */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { FLAG, localFolder, TEXT, withPlace } from './backup/place.ts'
import { restore } from './backup/restore.ts'
import { runningSince, skipDemo } from './local/local-state.ts'
import { OperatorError, runCommand } from './local/command.ts'

const USAGE = 'Usage: npm run restore -- --from FOLDER [--at NAME] [--remote] [--env NAME] [--yes]'
const OPTIONS = { from: TEXT, at: TEXT, yes: FLAG, remote: FLAG, env: TEXT }

function prepareLocalState(folder: string): void {
  if (runningSince(folder) !== null)
    throw new OperatorError(`npm start is running on ${folder}. Stop it (Ctrl-C), then run this again.`)
  skipDemo(folder)
}

// Backups contain private data: no other user of this machine may read what this process or wrangler writes.
process.umask(0o077)
await runCommand(USAGE, 2, async () => {
  const { from, at, yes, ...where } = parseArgs({ options: OPTIONS }).values
  if (from === undefined) throw new OperatorError(USAGE)
  if (!where.remote) prepareLocalState(localFolder())
  const manifest = await withPlace(where, USAGE, (place) =>
    restore(resolve(from), place, { at, mayReplace: yes, now: new Date() }),
  )
  console.log(`The backup of ${manifest.at} is restored, with ${manifest.objects.length} objects.

- Everything after ${manifest.at} is undone: deleted items are back, memorials that became private may be public again, and
  later payments are unknown. docs/backup.md says what to check${where.remote ? ' before you deploy' : ''}.
- ${where.remote ? 'Then run npm run deploy and npm run check:data -- --remote.' : 'Then run npm start and npm run check:data.'}
- All users must sign in again; invited relatives need not.`)
  return 0
})
