import { createRemoteJWKSet, jwtVerify, type JWTVerifyGetKey } from 'jose'
import { AppError } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'

/** Key sets by team, cached in the isolate; jose fetches again for an unknown key id. */
const keySets = new Map<string, JWTVerifyGetKey>()

/**
 * Where the console is behind Cloudflare Access (both settings are set), throws 403 unless the request has a valid
 * assertion for this application. https://developers.cloudflare.com/cloudflare-one/access-controls/applications/http-apps/authorization-cookie/validating-json/
 */
export async function requireCloudflareAccess(ctx: RequestCtx): Promise<void> {
  const { ACCESS_TEAM_DOMAIN: team, ACCESS_AUD: audience } = ctx.env
  if (!team && !audience) return
  if (!team || !audience) {
    // One setting alone is a mistake; skipping the check would hide it.
    const cause = new Error('ACCESS_TEAM_DOMAIN and ACCESS_AUD must be set together')
    throw new AppError('not_available', messages.system.notAvailable, { cause })
  }
  const issuer = `https://${team.replace(/^https:\/\//u, '').replace(/\/+$/u, '')}`
  const assertion = ctx.request.headers.get('Cf-Access-Jwt-Assertion')
  if (!assertion) throw new AppError('forbidden', messages.system.forbidden)
  try {
    await jwtVerify(assertion, keySetOf(issuer), {
      // prove: access-jwt-issuer
      issuer,
      // prove: access-jwt-audience
      audience,
      algorithms: ['RS256'],
      // prove: access-jwt-expiry
      requiredClaims: ['exp'],
      currentDate: new Date(ctx.now()),
    })
  } catch (error) {
    ctx.log.warn('access_assertion_refused', {
      cause: error instanceof Error ? error.message : String(error),
    })
    throw new AppError('forbidden', messages.system.forbidden)
  }
}

function keySetOf(issuer: string): JWTVerifyGetKey {
  const known = keySets.get(issuer)
  if (known) return known
  const keySet = createRemoteJWKSet(new URL(`${issuer}/cdn-cgi/access/certs`))
  keySets.set(issuer, keySet)
  return keySet
}
