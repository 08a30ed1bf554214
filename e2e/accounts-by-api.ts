import { createHash, randomBytes } from 'node:crypto'
import type { Page } from '@playwright/test'
import { ProductClient } from '../tools/operate/local/product-client.ts'
import type { Stack } from '../tools/operate/local/stack.ts'
import { account, DEMO } from '../tools/operate/seed.ts'

export type Place = Pick<Stack, 'url' | 'sandboxUrl' | 'db' | 'miniflare'>

const SESSION_COOKIE = 'session'

export const PASSWORD = DEMO.password
export const TENDAI = {
  honoureeFullName: 'Tendai Rudo Moyo',
  title: 'She taught half of Mutare to read.',
  dateOfBirth: '1948-03-14',
  dateOfDeath: '2026-06-02',
}

let created = 0
/** For each Worker's URL, the row of one account that registered through the API. */
const registered = new Map<string, Promise<Record<string, unknown>>>()

async function register({ url, sandboxUrl, db }: Place): Promise<Record<string, unknown>> {
  const email = 'first@family.test'
  await account(url, sandboxUrl, { email, firstName: 'Rudo', lastName: 'Moyo' }, '203.0.113.1')
  const row = await db.prepare('SELECT * FROM users WHERE email = ?').bind(email).first()
  if (!row) throw new Error('The first account was not stored')
  return row
}

/**
 * Creates an account with a unique email and IP address, and signs it in. It is a copy of an account that registered through
 * the API, because hashing a password for each would take a tenth of the time of all tests.
 */
export async function newOwner(world: Place, name: string): Promise<{ email: string; owner: ProductClient }> {
  const first = registered.get(world.url) ?? register(world)
  registered.set(world.url, first)
  created += 1
  const email = `${name}-${created}@family.test`
  const row = { ...(await first), id: `usr_${randomBytes(10).toString('hex')}`, email }
  const columns = Object.keys(row)
  await world.db
    .prepare(`INSERT INTO users (${columns.join()}) VALUES (${columns.map(() => '?').join()})`)
    .bind(...Object.values(row))
    .run()
  const owner = new ProductClient(world.url, `203.0.113.${created % 256}`)
  owner.setCookie(SESSION_COOKIE, await createSession(world, email))
  return { email, owner }
}

/** Stores a session of this account, as signing in does. Returns its token. */
async function createSession({ db, miniflare }: Place, email: string): Promise<string> {
  const user = await db
    .prepare('SELECT id, session_epoch AS epoch, role FROM users WHERE email = ?')
    .bind(email)
    .first<{ id: string; epoch: number; role: string }>()
  if (!user) throw new Error(`There is no account ${email}`)
  const token = randomBytes(32).toString('base64url')
  const hash = createHash('sha256').update(token).digest('hex')
  const at = Date.now()
  const kv = await miniflare.getKVNamespace('KV')
  const session = { userId: user.id, epoch: user.epoch, createdAt: at, renewedAt: at }
  await kv.put(`session:${hash}`, JSON.stringify(session))
  // As if the admin had just used their authenticator app.
  if (user.role === 'ADMIN') {
    await db
      .prepare(
        `INSERT INTO sessions (id, user_id, session_hash, epoch, used_at, second_factor_at, expires_at, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .bind(`ses_${hash.slice(0, 20)}`, user.id, hash, user.epoch, at, at, at + 86_400_000, at)
      .run()
  }
  return token
}

/** Signs the browser in, without a call of the API. */
export async function signIn(page: Page, world: Place, email: string): Promise<void> {
  const value = await createSession(world, email)
  await page
    .context()
    .addCookies([{ name: SESSION_COOKIE, value, url: world.url, httpOnly: true, sameSite: 'Lax' }])
}
