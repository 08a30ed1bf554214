import { expect, test } from 'vitest'
import { headerProblems } from '../../expected-headers.ts'
import { Client, memorialOf } from '../harness.ts'

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

test('without a live session the checkout shows the login, or the app, which asks for it', async () => {
  const { owner } = await memorialOf({})
  expect(await (await new Client().fetch('/checkout')).text()).toContain('name="password"')
  const Cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  await owner.post('/api/auth/logout')
  const ended = await new Client().fetch('/checkout', { headers: { Cookie } })
  expect(await ended.text()).toContain('<div id="root"></div>')
})
