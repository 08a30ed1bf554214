import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { sendMessage } from './send-message.ts'
import {
  cancelPendingMessage,
  deleteAllPendingMessages,
  storePendingMessage,
  listPendingMessages,
  reassignPendingMessages,
  sendPending,
  watchPendingMessages,
  type PendingMessage,
  type PendingMessageEvent,
} from './pending-messages.ts'

const stored = vi.hoisted(() => {
  // Test files share a module cache: without this, another file's `idb-keyval` may stay in use.
  vi.resetModules()
  return new Map<string, unknown>()
})
vi.mock('idb-keyval', () => ({
  createStore: () => ({}),
  get: async (key: string) => stored.get(key),
  set: async (key: string, value: unknown) => void stored.set(key, value),
  del: async (key: string) => void stored.delete(key),
  values: async () => [...stored.values()],
  clear: async () => stored.clear(),
}))

function message(key: string, over: Partial<PendingMessage> = {}): PendingMessage {
  return {
    key,
    memorialId: 'mem_1',
    authorId: 'con_1',
    body: 'Dear uncle',
    writtenAt: 1,
    problem: null,
    ...over,
  }
}
const comment = { id: 'com_1', body: 'Dear uncle' }

/** Stubs the server with one answer per attempt. Returns the mock of `fetch`. */
function server(...answers: (Response | Error)[]) {
  const fetching = vi.fn<typeof fetch>(async () => {
    const answer = answers.shift() ?? Response.json({ comment }, { status: 201 })
    if (answer instanceof Error) throw answer
    return answer
  })
  vi.stubGlobal('fetch', fetching)
  return fetching
}
const keysOf = (fetching: ReturnType<typeof server>) =>
  fetching.mock.calls.map(([path, init]) => {
    const headers = new Headers(init?.headers)
    return [path, headers.get('Idempotency-Key'), headers.get('Nhaka-Written-By')]
  })
const refusal = (status: number, body: object = {}) => Response.json(body, { status })

beforeEach(() => stored.clear())
afterEach(() => vi.unstubAllGlobals())

test('a pending message is retried with the same key and name, then deleted', async () => {
  const fetching = server(new TypeError('Failed to fetch'), refusal(503), refusal(502))
  const news: PendingMessageEvent[] = []
  const end = watchPendingMessages((one) => news.push(one))
  await storePendingMessage(message('key-1'))
  for (let index = 0; index < 3; index++) expect(await sendPending(sendMessage)).toEqual({ kind: 'later' })
  expect(await sendPending(sendMessage)).toEqual({ kind: 'sent', comment })
  expect(await sendPending(sendMessage)).toBeNull()
  end()
  expect(keysOf(fetching)).toEqual(
    Array.from({ length: 4 }, () => ['/api/memorials/mem_1/comments', 'key-1', 'con_1']),
  )
  expect(await listPendingMessages()).toEqual([])
  expect(news).toEqual([{ memorialId: 'mem_1' }, { memorialId: 'mem_1', posted: { key: 'key-1', comment } }])
})

test('two tabs that send at once send each message once', async () => {
  const fetching = server()
  await storePendingMessage(message('key-1', { writtenAt: 2 }))
  await storePendingMessage(message('key-2', { writtenAt: 1 }))
  await Promise.all([sendPending(sendMessage), sendPending(sendMessage), sendPending(sendMessage)])
  expect(keysOf(fetching).map(([, key]) => key)).toEqual(['key-2', 'key-1'])
})

test('a message that the server refuses stays with its reason and is not resent', async () => {
  const fetching = server(refusal(409, { code: 'memorial_locked', message: 'This memorial is locked.' }))
  await storePendingMessage(message('key-1'))
  expect(await sendPending(sendMessage)).toEqual({ kind: 'refused', text: 'This memorial is locked.' })
  await sendPending(sendMessage)
  expect([fetching.mock.calls.length, await listPendingMessages()]).toEqual([
    1,
    [message('key-1', { problem: 'This memorial is locked.' })],
  ])
})

test('foreign error pages, a busy server and the rate limit refuse no message', async () => {
  server(new Response('<html>Please log in</html>', { status: 403 }), refusal(500, { code: 'internal' }))
  await storePendingMessage(message('key-1'))
  await sendPending(sendMessage)
  await sendPending(sendMessage)
  server(refusal(429, { code: 'too_many_requests', message: 'Too many tries.' }))
  await sendPending(sendMessage)
  expect(await listPendingMessages()).toEqual([message('key-1')])
})

test('a cancelled message is not sent; one being sent cannot be cancelled', async () => {
  const fetching = server()
  await storePendingMessage(message('key-1'))
  expect(await cancelPendingMessage('key-1')).toBe(true)
  await sendPending(sendMessage)
  expect(fetching).not.toHaveBeenCalled()
  await storePendingMessage(message('key-2'))
  const [, isBack] = await Promise.all([sendPending(sendMessage), cancelPendingMessage('key-2')])
  expect([isBack, fetching.mock.calls.length]).toEqual([false, 1])
})

test('signing out deletes pending messages, even while one is being sent', async () => {
  await storePendingMessage(message('key-1'))
  await storePendingMessage(message('key-2', { writtenAt: 2 }))
  const sent: string[] = []
  await sendPending(async ({ key }) => {
    sent.push(key)
    deleteAllPendingMessages()
    return { kind: 'refused', text: 'No' }
  })
  await sendPending(sendMessage)
  expect([sent, await listPendingMessages()]).toEqual([['key-1'], []])
})

test('a new name deletes what the previous author left pending for this memorial', async () => {
  await storePendingMessage(message('key-1'))
  await storePendingMessage(message('key-2', { memorialId: 'mem_2', writtenAt: 2 }))
  await storePendingMessage(message('key-3', { authorId: 'con_2', writtenAt: 3 }))
  expect(await reassignPendingMessages('con_1', 'mem_1', null)).toBe(true)
  await sendPending(async () => ({ kind: 'later' }))
  expect((await listPendingMessages()).map(({ key }) => key)).toEqual(['key-2', 'key-3'])
})

test('messages move to a new invitation, also those that the old one could not send', async () => {
  await storePendingMessage(message('key-1'))
  await storePendingMessage(message('key-2', { problem: 'You need an invitation', writtenAt: 2 }))
  expect(await reassignPendingMessages('con_1', 'mem_1', 'con_9')).toBe(true)
  expect(await reassignPendingMessages('con_1', 'mem_1', 'con_9')).toBe(false)
  const sent: string[] = []
  await sendPending(async ({ key, authorId }) => {
    sent.push(`${key} ${authorId}`)
    return { kind: 'later' }
  })
  expect(sent).toEqual(['key-1 con_9'])
  expect((await listPendingMessages()).map(({ authorId, problem }) => [authorId, problem])).toEqual([
    ['con_9', null],
    ['con_9', null],
  ])
})
