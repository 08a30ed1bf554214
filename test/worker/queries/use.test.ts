import { createExecutionContext, env, waitOnExecutionContext } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { handleApi } from '#worker/api.ts'
import { makeVariants } from '#worker/features/media/pictures.ts'
import { createCtx } from '#worker/platform/ctx.ts'
import type { Env } from '#worker/platform/env.ts'
import { PublicPages } from '#worker/public-pages.ts'
import { contributorOf, inviteTokenOf, memorialOf, type Client } from '../harness.ts'
import { recordedDb } from '../runtime/intercepted-db.ts'
import { uploadFixture } from '../uploads.ts'

/** Round trips to D1 with their number of statements, and calls to the other bindings. */
type Use = Record<string, number>

/** The bindings of the tests, which count how they are used. `run` returns what it used. */
function countedBindings() {
  const recorded = recordedDb()
  let use: Use = {}
  const add = (name: string) => void (use[name] = (use[name] ?? 0) + 1)
  /** A binding whose methods are counted; those of a Durable Object by its stubs, one for each call. */
  const counted = <T extends object>(name: string, binding: T): T =>
    new Proxy(binding, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          add(`${name}.${String(key)}`)
          return Reflect.apply(value, target, args) as unknown
        }
      },
    })
  const names = ['KV', 'MEDIA', 'QUOTA', 'THROTTLE', 'JOBS', 'PICTURES'] as const
  const others = Object.fromEntries(names.map((name) => [name, counted(name, env[name] as object)]))
  const bindings = { ...env, ...others, DB: recorded.DB } as Env
  const run = async (work: () => Promise<unknown>): Promise<Use> => {
    use = {}
    const before = recorded.trips.length
    await work()
    const trips = recorded.trips.slice(before)
    return { ...use, 'D1 trips': trips.length, 'D1 statements': trips.flat().length }
  }
  return { bindings, run }
}

/** Lets this client reach the API with these bindings. Background work is done when a call returns. */
function through(client: Client, bindings: Env): void {
  client.send = async (url, init) => {
    const execution = createExecutionContext()
    const answer = await handleApi(new Request(url, init), bindings, execution)
    await waitOnExecutionContext(execution)
    return answer
  }
}

test('a visit, a message and a photo use each store as docs/growing.md says', async () => {
  const { bindings, run } = countedBindings()
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
  const open = await memorialOf({ privacy: 'INVITE' })
  const token = await inviteTokenOf(owner, memorial.id)
  const relative = await contributorOf(owner, memorial.id)
  const { id } = (await uploadFixture(open.owner, open.memorial.id, 'photo-gps.jpg')).body
  await open.owner.patch(`/api/memorials/${open.memorial.id}/privacy`, { privacy: 'LOCKED' })
  const ctx = createCtx({ env: bindings, waitUntil: () => {} })
  const page = async () => {
    const request = new Request(`http://localhost/m/${open.memorial.slug}`)
    await (await new PublicPages(createExecutionContext(), bindings).fetch(request)).text()
  }
  through(relative, bindings)
  const path = `/api/memorials/${memorial.id}`
  const key = () => ({ 'Idempotency-Key': crypto.randomUUID() })
  const uses = {
    'public page, not in the cache': await run(page),
    'variants of a photo': await run(() => makeVariants(ctx, id)),
    'its photo': await run(async () => (await relative.fetch(`/media/stream/${id}?w=640`)).arrayBuffer()),
    invitation: await run(() => relative.get(`/api/invite/${token}`)),
    message: await run(() => relative.post(`${path}/comments`, { body: 'Rest well' }, { headers: key() })),
    'photo sent': await run(() => uploadFixture(relative, memorial.id, 'photo-gps.jpg', { headers: key() })),
  }
  expect(uses).toEqual({
    'public page, not in the cache': { 'D1 trips': 1, 'D1 statements': 8 },
    // As a first reader or the queue makes them: this photo is too small for more than two.
    'variants of a photo': {
      'D1 trips': 1,
      'D1 statements': 1,
      'MEDIA.head': 4,
      'MEDIA.get': 2,
      'MEDIA.put': 2,
    },
    'its photo': { 'D1 trips': 1, 'D1 statements': 1, 'MEDIA.head': 1, 'MEDIA.get': 1 },
    invitation: { 'D1 trips': 1, 'D1 statements': 1 },
    message: { 'D1 trips': 4, 'D1 statements': 7, 'KV.get': 1, 'THROTTLE.getByName': 3 },
    // A photo wider than `EAGER_VARIANTS_ABOVE_PX` also sends one message to the queue of pictures.
    'photo sent': {
      'D1 trips': 4,
      'D1 statements': 8,
      'KV.get': 1,
      'MEDIA.get': 2,
      'MEDIA.put': 3,
      'QUOTA.getByName': 3,
      'THROTTLE.getByName': 1,
    },
  })
})
