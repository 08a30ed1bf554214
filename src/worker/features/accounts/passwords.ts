import { accountAnswers } from '#shared/accounts/account-answers.ts'
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { fieldError } from '#shared/errors.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { isCommonPassword, isOwnName } from '#worker/features/accounts/common-passwords.ts'
import { requirePepper } from '#worker/access/pepper.ts'
import { hashToken } from '#worker/platform/random.ts'
import { deriveScryptKey, type ScryptCost } from '#worker/platform/scrypt.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

type StoredPassword = ScryptCost & { keyId: string; salt: Buffer; key: Buffer }

/** OWASP Password Storage cheat sheet: the option that fits an isolate of 128 MB, at 17 MB per hash. */
const COST: ScryptCost = { ln: 14, r: 8, p: 5 }
/** The highest cost a stored hash may have, so that a tampered row cannot exhaust the isolate. */
const COST_MAX: ScryptCost = { ln: 15, r: 8, p: 10 }
const SALT_BYTES = 16
const PHC =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2}),keyid=([0-9a-f]{8})\$([\w+/]{22})\$([\w+/]{43})$/u

/**
 * Throws `bad_input` on `field` for one of the 100,000 most common passwords, our brand name, and the user's own name or
 * address, also with digits.
 */
export function requireUncommonPassword(
  password: string,
  field: 'password' | 'newPassword',
  person: { email: string; firstName: string; lastName: string },
): void {
  if (isCommonPassword(password)) throw fieldError('bad_input', field, serverMessages.password.tooCommon)
  if (isOwnName(password, person)) throw fieldError('bad_input', field, accountAnswers.ownName)
}

/**
 * Returns the password as a PHC string: scrypt, then HMAC-SHA-256 with the pepper, whose id is in the string. Only tests
 * pass another `cost`, only registrations a `salt` of 16 bytes. Throws `not_available` when no pepper is set.
 */
export async function hashPassword(
  ctx: Ctx,
  password: string,
  cost = COST,
  salt: Buffer = randomBytes(SALT_BYTES),
): Promise<string> {
  const pepper = requirePepper(ctx)
  const key = await deriveKey(pepper, password, salt, cost)
  const parameters = `ln=${cost.ln},r=${cost.r},p=${cost.p},keyid=${keyIdOf(pepper)}`
  return `$scrypt$${parameters}$${toUnpaddedBase64(salt)}$${toUnpaddedBase64(key)}`
}

/**
 * No hash or an unknown one never matches but takes as long, so timing does not reveal who has an account. Several hashes
 * must share their salt: those with another one than the first don't match.
 */
export async function checkPassword(
  ctx: Ctx,
  password: string,
  ...stored: (string | null)[]
): Promise<{ isRight: boolean; isOutdated: boolean }> {
  const pepper = requirePepper(ctx)
  const rows = stored.map((phc) => phc && parsePhc(phc)).filter((one) => !!one)
  const row = rows[0] ?? null
  const { ln, r, p } = row ?? COST
  const salt = row?.salt ?? Buffer.alloc(SALT_BYTES)
  const old = ctx.env.PASSWORD_PEPPER_OLD
  const isOld = Boolean(row && old && row.keyId === keyIdOf(old) && row.keyId !== keyIdOf(pepper))
  const key = await deriveKey(isOld && old ? old : pepper, password, salt, { ln, r, p })
  if (!row) return { isRight: false, isOutdated: false }
  if (row.keyId !== keyIdOf(pepper) && !isOld) {
    ctx.log.error('password_pepper_unknown', 'a stored password uses an unknown PASSWORD_PEPPER', {
      keyId: row.keyId,
    })
  }
  const isOutdated = isOld || ln !== COST.ln || r !== COST.r || p !== COST.p
  const isRight = rows.some(
    (one) => one.keyId === row.keyId && one.salt.equals(row.salt) && timingSafeEqual(key, one.key),
  )
  return { isRight, isOutdated }
}

function keyIdOf(pepper: string): string {
  return hashToken(`pepper:${pepper}`).slice(0, 8)
}

async function deriveKey(pepper: string, password: string, salt: Buffer, cost: ScryptCost): Promise<Buffer> {
  const key = await deriveScryptKey(password, salt, cost)
  return Buffer.from(hmac(sha256, utf8ToBytes(pepper), key))
}

function parsePhc(stored: string): StoredPassword | null {
  const match = PHC.exec(stored)
  if (!match) return null
  const [, ln, r, p, keyId = '', salt = '', key = ''] = match
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) }
  const isBounded = (['ln', 'r', 'p'] as const).every(
    (name) => cost[name] >= 1 && cost[name] <= COST_MAX[name],
  )
  if (!isBounded) return null
  return { ...cost, keyId, salt: Buffer.from(salt, 'base64'), key: Buffer.from(key, 'base64') }
}

function toUnpaddedBase64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}
