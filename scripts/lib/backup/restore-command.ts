import { resolve } from 'node:path'
import { restore } from './restore.ts'
import { whichPlace } from './which-place.ts'
import { readWords } from './words.ts'
import { StateProblem } from '../local-state.ts'
import { AccountProblem } from '../wrangler.ts'

const USAGE = 'Usage: npm run restore -- --from DIR [--at TIME] [--remote] [--env NAME] [--yes]'

const OPTIONS = {
  from: { type: 'string' },
  at: { type: 'string' },
  yes: { type: 'boolean', default: false },
  remote: { type: 'boolean', default: false },
  env: { type: 'string' },
} as const

/** Runs `npm run restore` with these words and prints what it did. Returns the exit code. */
export async function runRestoreCommand(args: string[]): Promise<number> {
  try {
    const words = readWords(args, OPTIONS, USAGE)
    if (words.from === undefined) throw new StateProblem(USAGE)
    const { manifest, objects, tables } = await restore({
      folder: resolve(words.from),
      place: whichPlace(words.remote, words.env, USAGE),
      ...(words.at === undefined ? {} : { at: words.at }),
      mayReplace: words.yes,
      now: new Date(),
      say: (line) => console.log(line),
    })
    console.log(`
The backup of ${manifest.at} is back: ${tables} tables and ${objects} objects, all as they were.

Now:
- What people did after ${manifest.at} is undone: deleted is there again, private is public again, and money that came since is
  not known here. ${words.remote ? 'Look through it before you deploy: docs/backup.md says how.' : 'docs/backup.md says how to look through it.'}
- ${words.remote ? 'npm run deploy: it brings the database up to date and starts every counter anew from its rows.' : 'npm start, then npm run check:data: it says whether everything holds.'}
- Everybody signs in again. Invited relatives do not.
- Uploads that were under way begin again by themselves.`)
    return 0
  } catch (error) {
    if (!(error instanceof StateProblem) && !(error instanceof AccountProblem)) throw error
    console.error(error.message)
    return 2
  }
}
