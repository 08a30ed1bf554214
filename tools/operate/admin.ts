/** `npm run admin -- COMMAND [--remote] [--env NAME]`: see `--help` and tools/operate/admin/command.ts. */
import { runAdminCommand } from './admin/command.ts'

process.exitCode = runAdminCommand(process.argv.slice(2), process.env['NHAKA_STATE'] || '.nhaka')
