import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { unstable_readConfig as readConfig } from 'wrangler'
import { type Environment, environmentArgs, toEnvironment } from '../cloud/environments.ts'
import { mustRun, ROOT, wranglerIn } from '../cloud/wrangler.ts'
import { type Bucket, type BucketAccess, openBucket } from './bucket.ts'
import { OperatorError } from '../local/command.ts'

const CONFIG = resolve(ROOT, 'wrangler.toml')
const SETTINGS = ['R2_ACCESS_KEY_ID', 'R2_SECRET_ACCESS_KEY', 'CLOUDFLARE_ACCOUNT_ID'] as const

/** The source of a backup or target of a restore: a deployment, or the local data of `npm start`. */
export type Place = {
  /** Runs a wrangler command on this D1 or KV. Returns its stdout, or throws an OperatorError with its message. */
  wrangler: (args: string[]) => string
  bucket: Bucket
  /** A folder for temporary files that only this user can read; `close` deletes it. */
  scratch: string
  close: () => Promise<void>
}

/** Opens the deployment `env` of wrangler.toml. Throws an OperatorError with `usage`. */
function openDeployment(env: string, usage: string): Place {
  const name = toEnvironment(env, usage)
  const bucket = openBucket(bucketAccess(name))
  const scratch = mkdtempSync(join(tmpdir(), 'nhaka-backup-'))
  return {
    wrangler: (args) => mustRun(wranglerIn(), [...args, '--remote', ...environmentArgs(name)]),
    bucket,
    scratch,
    close: async () => rmSync(scratch, { recursive: true }),
  }
}

/** How to reach the bucket of an environment. Throws an OperatorError that lists missing settings. */
export function bucketAccess(env: Environment): BucketAccess {
  const missing = SETTINGS.filter((name) => !process.env[name])
  if (missing.length > 0) {
    throw new OperatorError(
      `Set ${missing.join(', ')}. Create them in the Cloudflare dashboard: R2, Manage API tokens, "Object Read only" for a backup, "Object Read & Write" for a restore.`,
    )
  }
  const [accessKeyId = '', secretAccessKey = '', account = ''] = SETTINGS.map((name) => process.env[name])
  // A bucket with a jurisdiction has its own endpoint.
  const endpoint = process.env['R2_ENDPOINT'] || `https://${account}.r2.cloudflarestorage.com`
  return { endpoint, bucket: bucketName(env), accessKeyId, secretAccessKey }
}

/**
 * Opens the local data in `state`; `npm start` may be running on it. wrangler looks for local data next to its configuration
 * file, so it gets a copy of that in a temporary folder with a link to the data. Miniflare serves the bucket through the S3 API.
 */
async function openLocalState(state: string): Promise<Place> {
  const worker = join(state, 'worker')
  const scratch = mkdtempSync(join(tmpdir(), 'nhaka-backup-'))
  mkdirSync(worker, { recursive: true })
  mkdirSync(join(scratch, '.wrangler/state'), { recursive: true })
  symlinkSync(worker, join(scratch, '.wrangler/state/v3'))
  copyFileSync(CONFIG, join(scratch, 'wrangler.toml'))
  const keys = { accessKeyId: randomUUID(), secretAccessKey: randomUUID() }
  const bucket = bucketName('default')
  const r2Buckets = { MEDIA: { id: bucket, s3Credentials: keys } }
  const runtime = { modules: true, script: 'export default {}', r2Buckets } as const
  const miniflare = new Miniflare(convertV4MiniflareOptions({ resourcePersistencePath: worker, ...runtime }))
  const { origin } = await miniflare.ready
  const local = ['--local', '--config', join(scratch, 'wrangler.toml'), '--env', '']
  return {
    wrangler: (args) => mustRun(wranglerIn(), [...args, ...local]),
    bucket: openBucket({ endpoint: `${origin}/cdn-cgi/local/r2/s3`, bucket, ...keys }),
    scratch,
    async close() {
      await miniflare.dispose()
      rmSync(scratch, { recursive: true })
    },
  }
}

function bucketName(env: Environment): string {
  const config = readConfig({ config: CONFIG, ...(env !== 'default' && { env }) }) as {
    r2_buckets: { binding: string; bucket_name: string }[]
  }
  return config.r2_buckets.find(({ binding }) => binding === 'MEDIA')?.bucket_name ?? ''
}

export const TEXT = { type: 'string' } as const
export const FLAG = { type: 'boolean', default: false } as const

/** The folder of the local data: NHAKA_STATE, by default .nhaka. */
export function localFolder(): string {
  return resolve(process.env['NHAKA_STATE'] || '.nhaka')
}

/** Opens what `--remote` and `--env` name, runs `work` with it, and closes it. Throws an OperatorError. */
export async function withPlace<T>(
  { remote, env }: { remote: boolean; env?: string | undefined },
  usage: string,
  work: (place: Place) => Promise<T>,
): Promise<T> {
  if (env !== undefined && !remote) throw new OperatorError(`--env goes with --remote.\n${usage}`)
  const place = remote ? openDeployment(env ?? 'production', usage) : await openLocalState(localFolder())
  try {
    return await work(place)
  } finally {
    await place.close()
  }
}
