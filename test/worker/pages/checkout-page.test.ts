import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { headerProblems } from '../../expected-headers.ts'
import { takeErrorLines } from '../runtime/error-lines.ts'
import { brokenBinding } from '../faults/faults.ts'
import { askWorker, Client, memorialOf, ORIGIN } from '../harness.ts'

const TITLE = '>Memorial Payment</h1>'

test('the checkout is written for the signed-in user, and names no memorial', async () => {
  const { owner, memorial } = await memorialOf({ name: 'Zvikomborero Chokwadi' })
  const user = (await owner.get('/api/auth/user')).body as { email: string }
  for (const path of ['/checkout', `/checkout?memorialId=${memorial.id}`, '/checkout/']) {
    const answer = await owner.fetch(path)
    const html = await answer.text()
    expect([path, answer.status, html.includes(TITLE), html.includes(user.email)]).toEqual([
      path,
      200,
      true,
      true,
    ])
    expect([html.includes(memorial.id), html.includes(memorial.honoureeFullName)]).toEqual([false, false])
    expect(headerProblems(answer, 'page')).toEqual([])
    expect(answer.headers.get('Cache-Control')).toBe('private, no-store')
    // The card form comes from the payment provider.
    expect(answer.headers.get('Content-Security-Policy')).toMatch(/script-src 'self' http/u)
  }
})

test('while the database is down, the checkout is the app, which says so', async () => {
  const { owner } = await memorialOf({})
  const Cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const DB = brokenBinding(env.DB, 'the database is down')
  const answer = await askWorker(`${ORIGIN}/checkout`, { headers: { Cookie } }, { DB })
  expect([answer.status, (await answer.text()).includes('<div id="root"></div>')]).toEqual([200, true])
  expect(takeErrorLines().join()).toContain('page_not_written')
})

test('without a live session the checkout shows the login, or the app that asks for it', async () => {
  const { owner } = await memorialOf({})
  expect(await (await new Client().fetch('/checkout')).text()).toContain('name="password"')
  const Cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  await owner.post('/api/auth/logout')
  const ended = await new Client().fetch('/checkout', { headers: { Cookie } })
  expect(await ended.text()).toContain('<div id="root"></div>')
})
