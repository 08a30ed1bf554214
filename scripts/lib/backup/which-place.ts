import { resolve } from 'node:path'
import { unstable_readConfig as readConfig } from 'wrangler'
import { toEnvironment, type Environment } from '../environments.ts'
import { StateProblem } from '../local-state.ts'
import { localPlace } from './local-place.ts'
import type { Place } from './place.ts'
import { remotePlace } from './remote-place.ts'
import type { Bucket } from './s3-objects.ts'
import { openWrangler } from './wrangler.ts'

const CONFIG = resolve(import.meta.dirname, '../../../wrangler.toml')
const KEYS = ['R2_ACCESS_KEY_ID', 'R2_SECRET_ACCESS_KEY', 'CLOUDFLARE_ACCOUNT_ID'] as const

type BucketBinding = { binding: string; bucket_name?: string }

/**
 * The local folder (NHAKA_STATE, default .nhaka), or what is deployed as the environment `env` of wrangler.toml. Throws a
 * StateProblem or, with `usage`, an AccountProblem.
 */
export function whichPlace(isRemote: boolean, env: string | undefined, usage: string): Place {
  if (!isRemote) {
    if (env !== undefined) throw new StateProblem('--env goes with --remote.')
    return localPlace(process.env['NHAKA_STATE'] || '.nhaka')
  }
  const name = toEnvironment(env ?? 'production', usage)
  return remotePlace(openWrangler(name), findBucket(name))
}

/** The bucket and the keys to it. Throws a StateProblem that says which are not set. */
function findBucket(env: Environment): Bucket {
  const missing = KEYS.filter((key) => !process.env[key])
  if (missing.length > 0) {
    throw new StateProblem(
      `Set ${missing.join(', ')}. Cloudflare's dashboard makes them: R2, Manage API tokens, "Object Read only" for backup, "Object Read & Write" for restore.`,
    )
  }
  const { r2_buckets: buckets } = readConfig({
    config: CONFIG,
    ...(env === 'default' ? {} : { env }),
  }) as { r2_buckets: BucketBinding[] }
  const bucket = buckets.find(({ binding }) => binding === 'MEDIA')?.bucket_name
  if (!bucket) throw new StateProblem(`wrangler.toml names no bucket for the environment ${env}.`)
  const account = process.env['CLOUDFLARE_ACCOUNT_ID'] ?? ''
  return {
    bucket,
    region: 'auto',
    accessKeyId: process.env['R2_ACCESS_KEY_ID'] ?? '',
    secretAccessKey: process.env['R2_SECRET_ACCESS_KEY'] ?? '',
    // Buckets with a jurisdiction have an address of their own.
    endpoint: process.env['R2_ENDPOINT'] || `https://${account}.r2.cloudflarestorage.com`,
  }
}
