/**
 * `npm run restore -- --from DIR [--at TIME] [--remote] [--env NAME] [--yes]`: puts a backup back, the newest whole one unless
 * `--at` names another, and compares what came of it. Refuses a place that is not empty without `--yes`. See docs/backup.md.
 */
import { runRestoreCommand } from './lib/backup/restore-command.ts'

// What lies there is private to families: other people of this machine read none of it, whatever made the file.
process.umask(0o077)
process.exitCode = await runRestoreCommand(process.argv.slice(2))
