/** `npm run admin -- COMMAND [--remote] [--env NAME]`: see `--help` and scripts/lib/admin/command.ts. */
import { runAdminCommand } from './lib/admin/command.ts'

process.exitCode = runAdminCommand(process.argv.slice(2), process.env['NHAKA_STATE'] || '.nhaka')
