import type { D1Database } from '@cloudflare/workers-types'
import { globSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { resolve } from 'node:path'
import type { MediaPage } from '../../src/shared/media/media.ts'
import { ProductClient } from '../operate/local/product-client.ts'
import { type Stack, startStack } from '../operate/local/stack.ts'
import { DEMO, relativeOf, seedDemo } from '../operate/seed.ts'

/** Ids and credentials for a benchmark's calls. They stay valid in copies of the data folder. */
export type BenchData = {
  /** Slug of a public memorial with a story, two services, a location, 24 media and 30 messages. */
  slug: string
  videoId: string
  ownerCookie: string
  adminCookie: string
  /** An invite-only memorial, and the tokens of contributors who may write there. */
  inviteId: string
  inviteToken: string
  writers: string[]
}

const WRITERS = 60
const MEDIA = 24
const MESSAGES = 30

/** Creates the demo in `state` with more media, messages and contributors, and stops the server afterwards. */
export async function makeWorld(state: string): Promise<BenchData> {
  await using stack = await startStack({ state })
  const { url, db } = stack
  const demo = await seedDemo(stack)
  await enrich(db, demo.publicId)
  await enrich(db, demo.inviteId)
  const token = demo.inviteLink.split('/invite/')[1] ?? ''
  const writers: string[] = []
  for (let at = 0; at < WRITERS; at++) {
    const { authToken } = await relativeOf(url, token, `Relative ${at + 1}`, `198.51.100.${at + 1}`)
    writers.push(authToken)
  }
  const media = await new ProductClient(url).call<MediaPage>(
    'GET',
    `/api/memorials/${demo.publicId}/media?type=VIDEO`,
  )
  return {
    slug: demo.publicSlug,
    videoId: media.media[0]?.id ?? '',
    ownerCookie: await signIn(url, DEMO.owner.email),
    adminCookie: demo.adminCookie,
    inviteId: demo.inviteId,
    inviteToken: token,
    writers,
  }
}

async function signIn(url: string, email: string): Promise<string> {
  const client = new ProductClient(url, '192.0.2.2')
  await client.call('POST', '/api/auth/login', { email, password: DEMO.password })
  return client.cookie
}

/** Copies photos and messages until the memorial has a realistic number of them. */
async function enrich(db: D1Database, memorialId: string): Promise<void> {
  await db.batch([
    db
      .prepare(
        `INSERT INTO media (id, memorial_id, type, mime_type, size, width, height, original_file_name, caption, alt,
           placeholder, object_key, has_thumbnail, created_at)
         SELECT id || 'b', memorial_id, type, mime_type, size, width, height, original_file_name, caption, alt,
           placeholder, object_key, has_thumbnail, created_at - 1000000
         FROM media WHERE memorial_id = ?1 AND type = 'IMAGE' AND id <> (SELECT profile_media_id FROM memorials WHERE id = ?1)
         ORDER BY id LIMIT ?2 - (SELECT count(*) FROM media WHERE memorial_id = ?1)`,
      )
      .bind(memorialId, MEDIA),
    db
      .prepare(
        `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20)
         INSERT INTO comments (id, memorial_id, body, author_contributor_id, created_at)
         SELECT id || 'b' || n, memorial_id, body, author_contributor_id, created_at - n * 100000
         FROM comments, numbers WHERE memorial_id = ?1
         ORDER BY n, id LIMIT ?2 - (SELECT count(*) FROM comments WHERE memorial_id = ?1)`,
      )
      .bind(memorialId, MESSAGES),
  ])
}

const ROOT = resolve(import.meta.dirname, '../..')
/** Requests with this `Host` go to the bare Hono Worker. */
export const HELLO_HOST = 'hello.test'
const HELLO = `
import { Hono } from './node_modules/hono/dist/index.js'
export default new Hono().get('*', (c) => c.text('hello'))`

/** Starts the built Worker, wrapped in the benchmark's entry, and a bare Hono Worker in the same runtime. */
export function startMeasured(state: string): Promise<Stack> {
  const entry = stripTypeScriptTypes(readFileSync(resolve(import.meta.dirname, 'entry.ts'), 'utf8'))
  return startStack({
    state,
    entry: entry.replaceAll("'built-worker'", "'./index.js'"),
    beside: [
      {
        name: 'hello',
        routes: [`${HELLO_HOST}/*`],
        rootPath: ROOT,
        modules: [
          { type: 'ESModule', path: 'hello.js', contents: HELLO },
          ...globSync('node_modules/hono/dist/{*,{router,utils,request,helper/route}/**/*}.js', {
            cwd: ROOT,
          }).map((path) => ({
            type: 'ESModule' as const,
            path,
          })),
        ],
        compatibilityDate: '2026-08-01',
      },
    ],
  })
}
