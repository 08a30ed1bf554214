import type { Run } from './database.ts'

/** Label and query of each number. */
const FIGURES: [string, string][] = [
  ['Memorials', "SELECT count(*) FROM memorials WHERE status IN ('DRAFT', 'ACTIVE')"],
  ['  of these paid and active', "SELECT count(*) FROM memorials WHERE status = 'ACTIVE'"],
  ['Accounts', 'SELECT count(*) FROM users WHERE deleted_at IS NULL'],
  [
    '  of these with a confirmed address',
    'SELECT count(*) FROM users WHERE email_verified_at IS NOT NULL AND deleted_at IS NULL',
  ],
  [
    '  of these suspended',
    'SELECT count(*) FROM users WHERE suspended_at IS NOT NULL AND deleted_at IS NULL',
  ],
  ['  of these admins', "SELECT count(*) FROM users WHERE role = 'ADMIN' AND deleted_at IS NULL"],
  ['Paid payments', "SELECT count(*) FROM payments WHERE status = 'PAID'"],
  ['Invitation tokens available', "SELECT count(*) FROM invite_tokens WHERE status = 'AVAILABLE'"],
  ['Queued mails', "SELECT count(*) FROM mails WHERE status = 'QUEUED'"],
  ['Failed mails', "SELECT count(*) FROM mails WHERE status = 'DEAD'"],
  ['Pending cache purges', 'SELECT count(*) FROM cache_purges'],
]

/** Reads all figures in one query. Returns one line for each. */
export function readStats(run: Run): string {
  const [row] = run([`SELECT ${FIGURES.map(([, query], index) => `(${query}) AS n${index}`).join(', ')}`])
  return FIGURES.map(([name], index) => `${name.padEnd(42)}${String(row?.[`n${index}`]).padStart(8)}`).join(
    '\n',
  )
}
