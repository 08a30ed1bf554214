import { expect, test } from 'vitest'
import { api } from '#shared/api.ts'
import { Client } from './harness.ts'

test('an unknown call answers 404 in the form of every failure', async () => {
  const { status, body, headers } = await new Client().get('/api/nope')
  expect(status).toBe(404)
  expect(body).toEqual({ message: 'There is nothing at this address', code: 'not_found' })
  expect(headers.get('Cache-Control')).toBe('private, no-store')
})

test('a known path with a wrong method answers 405 and says which are allowed', async () => {
  const { status, headers } = await new Client().call('DELETE', api.config.path)
  expect(status).toBe(405)
  expect(headers.get('Allow')).toBe('GET, HEAD')
})

test('a write that another website started is refused', async () => {
  const { status, body } = await new Client().post(
    '/api/auth/logout',
    {},
    { headers: { Origin: 'https://evil.example' } },
  )
  expect(status).toBe(403)
  expect(body.code).toBe('cross_site')
})

test('a page that does not exist is the app with status 404', async () => {
  expect((await new Client().fetch('/no/such/page')).status).toBe(404)
  expect((await new Client().fetch('/m/tendai-moyo-k7q2mx')).status).toBe(200)
})
