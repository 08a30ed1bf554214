import { resolve } from 'node:path'
import { StateError } from '../local/local-state.ts'
import { AccountError } from '../cloud/wrangler.ts'
import { openDeployment, openLocalState, type Place } from './place.ts'

export const TEXT = { type: 'string' } as const
export const FLAG = { type: 'boolean', default: false } as const

/** The folder of the local data: NHAKA_STATE, by default .nhaka. */
export function localFolder(): string {
  return resolve(process.env['NHAKA_STATE'] || '.nhaka')
}

/** Opens what `--remote` and `--env` name, runs `work` with it, and closes it. Throws a StateError or an AccountError. */
export async function withPlace<T>(
  { remote, env }: { remote: boolean; env?: string | undefined },
  usage: string,
  work: (place: Place) => Promise<T>,
): Promise<T> {
  if (env !== undefined && !remote) throw new StateError(`--env goes with --remote.\n${usage}`)
  const place = remote ? openDeployment(env ?? 'production', usage) : await openLocalState(localFolder())
  try {
    return await work(place)
  } finally {
    await place.close()
  }
}

/** Runs a command, whose result is the exit code. If it fails, prints the reason to stderr and exits with code 2. */
export async function runCommand(usage: string, command: () => Promise<number>): Promise<void> {
  // Backups contain private data: no other user of this machine may read what this process or wrangler writes.
  process.umask(0o077)
  try {
    process.exitCode = await command()
  } catch (error) {
    const isUsage =
      error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
    const isExpected = error instanceof StateError || error instanceof AccountError
    console.error(isUsage ? `${error.message}\n${usage}` : isExpected ? error.message : error)
    process.exitCode = 2
  }
}
