import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { clientErrorInput } from '#shared/admin/health.ts'

const sent: { url: string; init: RequestInit }[] = []
function browser({ pathname = '/dashboard', cookie = '', onLine = true } = {}): void {
  vi.stubGlobal('window', { location: { pathname }, addEventListener: () => {} })
  vi.stubGlobal('document', { cookie })
  vi.stubGlobal('navigator', { onLine })
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    sent.push({ url, init })
    return Promise.reject(new Error('no line'))
  })
}
const reports = () => sent.map(({ init }) => JSON.parse(init.body as string) as Record<string, unknown>)
/** Loads the module again, as on a fresh page. */
async function freshPage() {
  vi.resetModules()
  return (await import('./report-error.ts')).reportError
}

beforeEach(() => {
  sent.length = 0
})
afterEach(() => {
  vi.unstubAllGlobals()
})

test('an error report has the name, the message without quotes, and the screen', async () => {
  browser({ pathname: '/invite/3f2a5c1e-0000-4000-8000-000000000000' })
  const report = await freshPage()
  report(new TypeError('Unexpected token in "Rest well, Sekuru" at /invite/3f2a'))
  expect(reports()).toEqual([
    {
      name: 'TypeError',
      message: 'Unexpected token in … at …',
      screen: '/invite/:token',
      release: 'report-error.ts',
      requestId: null,
    },
  ])
  expect(clientErrorInput.safeParse(reports()[0]).success).toBe(true)
  expect(sent[0]).toMatchObject({
    url: '/api/client-errors',
    init: { method: 'POST', credentials: 'omit', keepalive: true },
  })
})

test('a server failure is reported with its request id, never with its answer', async () => {
  browser({ pathname: '/m/tendai-moyo-k7q2mx' })
  const report = await freshPage()
  const { ApiError: Fresh } = await import('./call.ts')
  const body = { message: 'Something went wrong', code: 'internal', requestId: 'req_abcdefghjkmnpqrs' }
  report(new Fresh(500, JSON.stringify(body), ''))
  expect(reports()).toEqual([
    expect.objectContaining({
      name: 'ApiError',
      message: '500 internal',
      screen: '/m/:slug',
      requestId: 'req_abcdefghjkmnpqrs',
    }),
  ])
})

test('a page reports each error once, and three at most', async () => {
  browser()
  const report = await freshPage()
  for (const word of ['one', 'one', 'two', 'three', 'four']) report(new Error(word))
  expect(reports().map(({ message }) => message)).toEqual(['one', 'two', 'three'])
})

test('network failures, refusals, aborts and non-errors are not reported', async () => {
  browser()
  const report = await freshPage()
  const calls = await import('./call.ts')
  report(new calls.NetworkError('down'))
  report(new calls.ApiError(403, '', ''))
  report(Object.assign(new Error('x'), { name: 'AbortError' }))
  report('a word')
  report(null)
  expect(sent).toEqual([])
})

test('offline and in data saver mode nothing is reported', async () => {
  for (const how of [{ onLine: false }, { cookie: 'a=b; less-data=1' }]) {
    browser(how)
    const report = await freshPage()
    report(new Error('x'))
  }
  expect(sent).toEqual([])
})
