import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from '../family.ts'
import { expectErrors } from '../world.ts'

test("a page of another origin cannot write with the owner's session", async ({ page, world, family }) => {
  expectErrors(/403|CORS|Access-Control|blocked|net::ERR_/u)
  const memorial = await family.memorial()
  await family.signIn(page)
  // Only the port differs, so the browser sends cookies and our own check is the only protection. It needs a real server,
  // because the browser blocks requests to this machine from pages of unknown network origin.
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html')
    response.end(
      `<!doctype html><title>Evil</title><form method="post" action="${world.url}/api/auth/logout" target="frame"><button>Win</button></form><iframe name="frame"></iframe>`,
    )
  })
  server.listen(0, 'localhost')
  await once(server, 'listening')
  const from = `http://localhost:${(server.address() as AddressInfo).port}`
  await page.goto(from)
  const sent: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/api/') && request.method() === 'POST') sent.push(pathname)
  })
  const memorialPath = `/api/memorials/${memorial.id}`
  await page.evaluate(
    async ([url, path]) => {
      const send = (target: string, init: RequestInit) =>
        fetch(`${url}${target}`, { credentials: 'include', mode: 'no-cors', ...init }).catch(() => null)
      const form = new FormData()
      form.set('file', new File(['x'], 'a.jpg', { type: 'image/jpeg' }))
      form.set('type', 'IMAGE')
      await send(`${path}/media/upload`, { method: 'POST', body: form })
      await send(`${path}/comments`, { method: 'POST', body: '{"body":"Forged"}' })
      await send('/api/account/sign-out-everywhere', { method: 'POST' })
      await send(path, { method: 'DELETE', mode: 'cors' })
    },
    [world.url.replace(/\/$/u, ''), memorialPath] as const,
  )
  const [logout] = await Promise.all([
    page.waitForResponse('/api/auth/logout'),
    page.getByRole('button', { name: 'Win' }).click(),
  ])
  expect(logout.status()).toBe(403)
  // The owner's browser sends all these requests with her session: only our own check stops them.
  const headers = await logout.request().allHeaders()
  expect(headers['origin']).toBe(from)
  expect(headers['cookie']).toContain('session=')
  expect(sent.toSorted()).toEqual([
    '/api/account/sign-out-everywhere',
    '/api/auth/logout',
    `${memorialPath}/comments`,
    `${memorialPath}/media/upload`,
  ])

  await page.goto('/dashboard')
  await expect(page.getByRole('heading', { name: memorial.honoureeFullName })).toBeVisible()
  expect(await family.owner.call('GET', `${memorialPath}/comments`)).toMatchObject({ comments: [] })
  expect(await family.owner.call('GET', `${memorialPath}/media`)).toMatchObject({ media: [] })
  server.close()
})

test('a link to the login page never redirects to another site', async ({ page, world, family }) => {
  await family.signIn(page)
  for (const next of [
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    'javascript:alert(1)',
    'https:evil.example',
  ]) {
    await page.goto(`/login?next=${encodeURIComponent(next)}`)
    await expect(page).toHaveURL(`${world.url.replace(/\/$/u, '')}/dashboard`)
  }
})
