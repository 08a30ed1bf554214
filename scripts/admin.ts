/**
 * `npm run admin -- grant|revoke EMAIL [--remote]`: gives an account the admin role, or takes it away. Without `--remote` it
 * edits the local database (folder NHAKA_STATE, default .nhaka), whether or not `npm start` is running.
 */
import { runRoleCommand } from './lib/admin-role.ts'

process.exitCode = runRoleCommand(process.argv.slice(2), process.env['NHAKA_STATE'] || '.nhaka')
