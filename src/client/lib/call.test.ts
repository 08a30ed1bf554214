import { afterEach, expect, test, vi } from 'vitest'
import { api } from '#shared/api.ts'
import { ApiError, call, errorFields, errorText, isCachedAnswer, NetworkError, pathOf } from './call.ts'
import { FROM_CACHE_HEADER } from './offline/cache-names.ts'
import { uploadFile } from './upload/single-request.ts'

function answer(body: string, init: ResponseInit = {}) {
  const fetching = vi.fn<typeof fetch>(async () => new Response(body, init))
  vi.stubGlobal('fetch', fetching)
  return fetching
}
afterEach(() => vi.unstubAllGlobals())

test('a call sends cookies, and its body as JSON with the matching content type', async () => {
  const fetching = answer('{"message":"Welcome"}')
  const body = { email: 'rudo@family.test', password: 'Mutare in the rain' }
  expect(await call(api.login, { body })).toEqual({ message: 'Welcome' })
  expect(fetching.mock.calls).toEqual([
    [
      '/api/auth/login',
      {
        method: 'POST',
        credentials: 'include',
        headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      },
    ],
  ])
})

test('a call without a body sends cookies and no content type', async () => {
  const fetching = answer('{"memorials":[]}')
  await call(api.dashboard, {})
  expect(fetching.mock.calls).toEqual([
    ['/api/dashboard', { method: 'GET', credentials: 'include', headers: { Accept: 'application/json' } }],
  ])
})

test('an answer whose connection breaks is a network error, not an answer', async () => {
  answer('{"message":"Wel')
  await expect(call(api.dashboard, {})).rejects.toThrow(NetworkError)
  const broken = new ReadableStream({ pull: (stream) => stream.error(new TypeError('network error')) })
  vi.stubGlobal('fetch', async () => new Response(broken, { status: 404 }))
  await expect(call(api.dashboard, {})).rejects.toThrow(NetworkError)
})

test("an answer from this device's cache is known as one", async () => {
  answer('{"memorials":[]}', { headers: { [FROM_CACHE_HEADER]: '1' } })
  expect(isCachedAnswer(await call(api.dashboard, {}))).toBe(true)
  answer('{"memorials":[]}')
  expect(isCachedAnswer(await call(api.dashboard, {}))).toBe(false)
})

test('a failed answer throws its status and its text, or the status text', async () => {
  answer('{"message":"This memorial is private","code":"memorial_private"}', { status: 403 })
  await expect(call(api.dashboard, {})).rejects.toThrow(
    '403: {"message":"This memorial is private","code":"memorial_private"}',
  )
  answer('', { status: 502, statusText: 'Bad Gateway' })
  await expect(call(api.dashboard, {})).rejects.toThrow(/^502: Bad Gateway$/u)
})

test("error text is the server's message if there is one, else the screen's fallback", () => {
  const refused = new ApiError(
    400,
    '{"message":"Please fill in all fields","code":"bad_input","fields":{"email":"x"}}',
    '',
  )
  const broken = new ApiError(502, '<html>Bad gateway</html>', 'Bad Gateway')
  const unreached = new NetworkError(new TypeError('Failed to fetch'))
  expect([refused, broken, unreached, null].map((error) => errorText(error, 'Login failed'))).toEqual([
    'Please fill in all fields',
    'Login failed',
    "We're having trouble connecting right now. Please check your internet connection and try again.",
    'Login failed',
  ])
  expect([errorFields(refused), errorFields(broken)]).toEqual([{ email: 'x' }, {}])
})

test('path parameters are escaped and empty query values are left out', () => {
  expect([
    pathOf(api.memorial, { params: { id: 'a/b' }, query: { invite: '' } }),
    pathOf(api.memorial, { params: { id: 'mem_1' }, query: { invite: 'x y' } }),
  ]).toEqual(['/api/memorials/a%2Fb', '/api/memorials/mem_1?invite=x+y'])
})

test('an upload is a form with cookies, fields before the file, no explicit type', async () => {
  const seen: { address?: string[]; headers: string[]; credentials?: boolean; form?: FormData } = {
    headers: [],
  }
  vi.stubGlobal(
    'XMLHttpRequest',
    class extends EventTarget {
      upload = new EventTarget()
      status = 201
      responseText = '{"id":"med_1"}'
      set withCredentials(value: boolean) {
        seen.credentials = value
      }
      open(...address: string[]) {
        seen.address = address
      }
      setRequestHeader(name: string) {
        seen.headers.push(name)
      }
      send(form: FormData) {
        seen.form = form
        this.dispatchEvent(new Event('load'))
      }
    },
  )
  const file = new File(['x'], 'a.jpg', { type: 'image/jpeg' })
  const path = '/api/memorials/mem_1/media/upload'
  expect(await uploadFile({ path, file, fields: { type: 'IMAGE' } })).toEqual({ id: 'med_1' })
  expect(seen).toMatchObject({ address: ['POST', path], headers: ['Accept'], credentials: true })
  expect(
    [...(seen.form ?? [])].map(([name, value]) => [name, value instanceof File ? value.name : value]),
  ).toEqual([
    ['type', 'IMAGE'],
    ['file', 'a.jpg'],
  ])
})
