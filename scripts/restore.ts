/**
 * `npm run restore -- --from DIR [--at TIME] [--remote] [--env NAME] [--yes]`: puts a backup back, the newest whole one unless
 * `--at` names another, and compares what came of it. Refuses a place that is not empty without `--yes`. See docs/backup.md.
 */
import { resolve } from 'node:path'
import { restore } from './lib/backup/restore.ts'
import { whichPlace } from './lib/backup/which-place.ts'
import { readWords } from './lib/backup/words.ts'
import { StateProblem } from './lib/local-state.ts'

const USAGE = 'Usage: npm run restore -- --from DIR [--at TIME] [--remote] [--env NAME] [--yes]'

try {
  const words = readWords(
    process.argv.slice(2),
    {
      from: { type: 'string' },
      at: { type: 'string' },
      yes: { type: 'boolean', default: false },
      remote: { type: 'boolean', default: false },
      env: { type: 'string' },
    },
    USAGE,
  )
  if (words.from === undefined) throw new StateProblem(USAGE)
  const { manifest, objects, tables } = await restore({
    folder: resolve(words.from),
    place: whichPlace(words.remote, words.env),
    ...(words.at === undefined ? {} : { at: words.at }),
    mayReplace: words.yes,
    now: new Date(),
    say: (line) => console.log(line),
  })
  console.log(`
The backup of ${manifest.at} is back: ${tables} tables and ${objects} objects, all as they were.

Now:
- ${words.remote ? 'npm run deploy: it brings the database up to date and starts every counter anew from its rows.' : 'npm start, then npm run check:data: it says whether everything holds.'}
- Everybody signs in again. Invited relatives do not.
- Uploads that were under way begin again by themselves.
- What people did after ${manifest.at} is undone: deleted is there again, and money that came since is not known here.
  docs/backup.md says how to look through it.`)
} catch (error) {
  if (!(error instanceof StateProblem)) throw error
  console.error(error.message)
  process.exitCode = 2
}
