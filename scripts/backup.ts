/**
 * `npm run backup -- --to DIR [--remote] [--env NAME] [--keep DAYS]`: database and objects into a folder, only what is not
 * there yet. `--verify DIR` instead reads every backup in a folder again and compares it with its checksums. Ends with 1
 * where something is missing or damaged, with 2 where nothing could be done. See docs/backup.md.
 */
import { runBackupCommand } from './lib/backup/backup-command.ts'

// What lies there is private to families: other people of this machine read none of it, whatever made the file.
process.umask(0o077)
process.exitCode = await runBackupCommand(process.argv.slice(2))
