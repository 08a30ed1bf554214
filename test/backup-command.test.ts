import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { runBackupCommand } from '../scripts/lib/backup/backup-command.ts'
import { runRestoreCommand } from '../scripts/lib/backup/restore-command.ts'
import { whichPlace } from '../scripts/lib/backup/which-place.ts'

const DIR = join(tmpdir(), 'nhaka-backup-never-made')

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

test('an environment that is none ends both commands with 2, and says so', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  expect(await runBackupCommand(['--to', DIR, '--remote', '--env', 'prod'])).toBe(2)
  expect(await runRestoreCommand(['--from', DIR, '--remote', '--env', 'prod'])).toBe(2)
  expect(said.mock.calls.map(([line]) => String(line).split('\n')[0])).toEqual([
    'There is no environment "prod".',
    'There is no environment "prod".',
  ])
})

test('each environment of wrangler.toml has a bucket to back up, also the top that the button fills in', () => {
  for (const name of ['R2_ACCESS_KEY_ID', 'R2_SECRET_ACCESS_KEY', 'CLOUDFLARE_ACCOUNT_ID'])
    vi.stubEnv(name, 'x')
  for (const env of ['production', 'staging', 'default', undefined]) {
    expect(() => whichPlace(true, env, 'usage')).not.toThrow()
  }
  vi.stubEnv('R2_ACCESS_KEY_ID', '')
  expect(() => whichPlace(true, 'default', 'usage')).toThrow('Set R2_ACCESS_KEY_ID.')
})
