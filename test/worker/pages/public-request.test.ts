import { createExecutionContext, env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { paths as screens } from '#shared/pages/pages.ts'
import worker from '#worker/index.ts'
import { PublicPages } from '#worker/public-pages.ts'
import { inviteTokenOf, memorialOf, ORIGIN } from '../harness.ts'

type Execution = Parameters<typeof worker.fetch>[2]

/** Headers that could identify the person behind a browser. */
const PERSONAL = {
  Cookie: 'session=abc; __Host-session=abc; contributor-mem_a=abc; less-data=1',
  Authorization: 'Bearer abc',
  'X-Contributor-Token': 'abc',
  'CF-Connecting-IP': '10.1.2.3',
  'CF-IPCountry': 'ZW',
  'X-Forwarded-For': '10.1.2.3',
  'X-Real-IP': '10.1.2.3',
  'User-Agent': 'a certain phone',
  'Accept-Language': 'sn-ZW',
  Accept: 'text/html',
  'Save-Data': 'on',
  'Idempotency-Key': 'abc',
  Referer: `${ORIGIN}/invite/abc`,
  'X-Anything': 'abc',
}

/** The requests that reach the cached entrypoint when a browser requests `address`, and the browser's answer. */
async function passing(address: string, headers: Record<string, string> = PERSONAL) {
  const passed: Request[] = []
  const answered: string[][] = []
  const execution: Execution = Object.assign(createExecutionContext(), {
    exports: {
      PublicPages: {
        async fetch(request: Request) {
          passed.push(request)
          const answer = await new PublicPages(createExecutionContext(), env).fetch(request)
          answered.push([...answer.headers.keys()])
          return answer
        },
      },
    } as never,
  })
  const answer = await worker.fetch(new Request(`${ORIGIN}${address}`, { headers }), env, execution)
  await answer.arrayBuffer()
  return { passed, answered, answer }
}

test('the cached entrypoint gets nothing that identifies visitors and sets no cookie', async () => {
  for (const path of [...Object.values(screens), '/nope']) {
    const { passed, answered } = await passing(path.replaceAll(/:\w+/gu, 'x'), {
      ...PERSONAL,
      'If-None-Match': '"a"',
    })
    expect([path, passed.flatMap(({ headers }) => Array.from(headers.keys()))]).toEqual([path, []])
    expect(answered.flat()).not.toContain('set-cookie')
  }
})

test('the cached entrypoint gets only the parts of an address that decide the page', async () => {
  const cursor = '1780000000000.med_a1'
  const asked = async (address: string, headers: Record<string, string> = {}) => {
    const [request] = (await passing(address, headers)).passed
    return request?.url.slice(ORIGIN.length)
  }
  expect(await asked('/m/tendai-moyo-k7q2mx?fbclid=1&utm_source=w&invite=abc')).toBe('/m/tendai-moyo-k7q2mx')
  expect(await asked(`/m/tendai?messages=2.com_b&x=1&photo=med_c&photos=${cursor}&photo=med_d`)).toBe(
    `/m/tendai?photo=med_c&photos=${cursor}&messages=2.com_b`,
  )
  expect(await asked(`/m/tendai?photo=${'a'.repeat(65)}&photos=%3Cb%3E&messages=`)).toBe('/m/tendai')
  // Without a session, the gateway itself says that they don't open.
  const session = { Cookie: 'session=abc' }
  expect(await asked('/invite/a-secret-token')).toBeUndefined()
  expect(await asked('/invite/a-secret-token?x=1#y', session)).toBe('/invite/:token')
  expect(await asked('/reset-password/a-secret-token')).toBe('/reset-password/:token')
  expect(await asked('/memorial/mem_a?invite=abc', session)).toBe('/invite/:token')
  expect(await asked('/memorial/mem_a?invite=&x=1', session)).toBe('/memorial/:id')
  expect(await asked('/create-memorial/mem_a/')).toBeUndefined()
  expect(await asked('/login?next=%2Ffaq')).toBeUndefined()
  expect(await asked('/login?utm_source=w')).toBe('/login')
  expect(await asked('/nope/at/all?x=1')).toBe('/nope/at/all')
})

test.each(['//evil.example/m/x', '//evil.example', '///', '//@/m/x', '//[/x'])(
  'an address that resembles another site answers 404: %s',
  async (address) => {
    const { passed, answer } = await passing(address, {})
    expect(passed.map(({ url }) => url)).toEqual([`${ORIGIN}${address}`])
    expect(answer.status).toBe(404)
  },
)

test('data saver, chosen or sent by the browser, selects other page variants', async () => {
  const asked = async (headers: Record<string, string>, address = '/m/tendai?lite=1') => {
    const [request] = (await passing(address, headers)).passed
    return request?.url.slice(ORIGIN.length)
  }
  expect(await asked({})).toBe('/m/tendai')
  expect(await asked({ 'Save-Data': 'on' })).toBe('/m/tendai?lite=1')
  expect(await asked({ Cookie: 'less-data=1' })).toBe('/m/tendai?lite=1')
  expect(await asked({ Cookie: 'less-data=0', 'Save-Data': 'on' })).toBe('/m/tendai')
  expect(await asked({ 'Save-Data': 'on' }, '/faq')).toBe('/faq?lite=1')
  expect(await asked({ 'Save-Data': 'on' }, '/admin')).toBe('/admin')
  expect(await asked({ 'Save-Data': 'on' }, '/?lite=0')).toBe('/?lite=1')
})

test('the cached entrypoint learns of a session only where it changes the page', async () => {
  const asked = async (headers: Record<string, string>, address: string) => {
    const { passed } = await passing(address, headers)
    expect(passed.flatMap((request) => Array.from(request.headers.keys()))).toEqual([])
    return passed.map(({ url }) => url.slice(ORIGIN.length))
  }
  expect(await asked(PERSONAL, '/')).toEqual(['/?app=1'])
  expect(await asked(PERSONAL, '/?app=0&lite=1')).toEqual(['/?app=1'])
  expect(await asked({ Cookie: 'theme=dark' }, '/?app=1')).toEqual(['/'])
  expect(await asked({ ...PERSONAL, 'Save-Data': 'off' }, '/faq?app=1')).toEqual(['/faq?app=1'])
  expect(await asked({ ...PERSONAL, 'Save-Data': 'off' }, '/admin?app=1')).toEqual(['/admin'])
  expect(await asked(PERSONAL, '/m/tendai?app=1')).toEqual(['/m/tendai?lite=1'])
})

test('the cached entrypoint answers everybody alike, even if a cookie reaches it', async () => {
  for (const privacy of ['LOCKED', 'INVITE'] as const) {
    const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
    const invite = await inviteTokenOf(owner, memorial.id)
    await owner.patch(`/api/memorials/${memorial.id}/privacy`, { privacy })
    const open = async (query: string, headers: Record<string, string>) => {
      const pages = new PublicPages(createExecutionContext(), env)
      const page = await pages.fetch(new Request(`${ORIGIN}/m/${memorial.slug}${query}`, { headers }))
      return { status: page.status, headers: [...page.headers], body: await page.text() }
    }
    const cookies = [...owner.cookies].map((pair) => pair.join('=')).join('; ')
    const stranger = await open('', {})
    const known = await open('', { ...PERSONAL, Cookie: cookies, 'X-Contributor-Token': invite })
    expect(known).toEqual(stranger)
    expect(stranger.headers.map(([name]) => name)).not.toContain('set-cookie')
  }
})
