import { env } from 'cloudflare:test'
import { afterEach, expect, test, vi } from 'vitest'
import type { Env } from '#worker/platform/env.ts'
import { withDeadlines } from '#worker/platform/deadlines.ts'

afterEach(() => void vi.useRealTimers())

/** A binding whose calls never return. */
function hanging(): never {
  const never = () => new Promise(() => {})
  const thing: object = new Proxy(
    {},
    {
      get: (_, name) => {
        if (['prepare', 'bind', 'getByName', 'withSession'].includes(String(name))) return () => thing
        return name === 'then' ? undefined : never
      },
    },
  )
  return thing as never
}

const stuck = withDeadlines({
  ...env,
  DB: hanging(),
  MEDIA: hanging(),
  KV: hanging(),
  JOBS: hanging(),
  PICTURES: hanging(),
  QUOTA: hanging(),
  THROTTLE: hanging(),
  LIMIT_LOGIN: hanging(),
} satisfies Env)

const calls: [string, () => Promise<unknown>][] = [
  ['a statement', () => stuck.DB.prepare('select 1').bind(1).all()],
  ['a batch', () => stuck.DB.batch([])],
  ['a statement of a session', () => stuck.DB.withSession('first-primary').prepare('select 1').all()],
  ['reading an object head', () => stuck.MEDIA.head('m/a')],
  ['writing an object', () => stuck.MEDIA.put('m/a', 'x')],
  ['creating a multipart upload', () => stuck.MEDIA.createMultipartUpload('m/a')],
  ['a KV read', () => stuck.KV.get('session:a')],
  ['a message to the queue', () => stuck.JOBS.sendBatch([])],
  ['a message to the image queue', () => stuck.PICTURES.send({ type: 'purge-cache' })],
  ['a quota', () => stuck.QUOTA.getByName('mem_a').fetch('https://quota/')],
  ['a counter', () => stuck.THROTTLE.getByName('a').undo([], 1)],
  ['a rate limit binding', () => stuck.LIMIT_LOGIN.limit({ key: 'a' })],
]

test.each(calls)('%s that hangs fails within a minute', async (_, call) => {
  vi.useFakeTimers()
  const failed = vi.fn<(error: unknown) => void>()
  void call().catch(failed)
  await vi.advanceTimersByTimeAsync(61_000)
  expect(failed).toHaveBeenCalledWith(
    expect.objectContaining({ message: expect.stringContaining('did not answer') }),
  )
})

test('bindings with deadlines work like the original bindings', async () => {
  const bindings = withDeadlines(env)
  await bindings.KV.put('a', '{"b":1}')
  expect(await bindings.KV.get('a', 'json')).toEqual({ b: 1 })
  const statement = bindings.DB.prepare('select ? as one')
  expect((await statement.bind(1).first())?.['one']).toBe(1)
  const [first] = await bindings.DB.batch<{ one: number }>([statement.bind(2)])
  expect(first?.results).toEqual([{ one: 2 }])
  const session = bindings.DB.withSession('first-unconstrained')
  const [second] = await session.batch<{ one: number }>([session.prepare('select ? as one').bind(3)])
  expect(second?.results).toEqual([{ one: 3 }])
  const upload = await bindings.MEDIA.createMultipartUpload('deadlines/a')
  await upload.complete([await upload.uploadPart(1, 'whole')])
  expect(await (await bindings.MEDIA.get('deadlines/a'))?.text()).toBe('whole')
})
