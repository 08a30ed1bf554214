import { expect, test, vi } from 'vitest'
import { Client } from '../../../../test/worker/harness.ts'
import { inTurn, inOneMinute } from '../../../../test/worker/repeat.ts'

const report = {
  name: 'TypeError',
  message: 'Cannot read properties of undefined',
  screen: '/m/:slug',
  release: 'report-error-Ab12.js',
  requestId: 'req_abcdefghjkmnpqrs',
}

function warnings(): () => unknown[] {
  const lines: unknown[] = []
  vi.spyOn(console, 'warn').mockImplementation((line: string) => void lines.push(JSON.parse(line)))
  return () => lines
}

test('a client error is one log line without quoted text or personal data', async () => {
  const lines = warnings()
  const message =
    'Unexpected token in "We miss you, Sekuru" at https://nhaka.test/invite/3f2a for tendai@family.test, call +263771234567'
  expect((await new Client().post('/api/client-errors', { ...report, message })).status).toBe(204)
  expect(lines()).toEqual([
    {
      level: 'warn',
      event: 'client_error',
      requestId: expect.stringMatching(/^req_/u),
      name: 'TypeError',
      message: 'Unexpected token in … at … for … call +…',
      screen: '/m/:slug',
      release: 'report-error-Ab12.js',
      failedRequestId: report.requestId,
    },
  ])
})

test('reports with tokens, other ids or long texts are refused', async () => {
  const lines = warnings()
  for (const change of [
    { screen: '/invite/3f2a5c1e-0000-4000-8000-000000000000' },
    { requestId: 'mem_abcdefghjkmnpqrs' },
    { message: 'x'.repeat(201) },
    { release: 'x'.repeat(81) },
  ]) {
    expect((await new Client().post('/api/client-errors', { ...report, ...change })).status).toBe(400)
  }
  const large = { ...report, more: 'x'.repeat(3000) }
  expect((await new Client().post('/api/client-errors', large)).status).toBe(413)
  expect(lines()).toEqual([])
})

test('only our own pages can report, each IP address at most ten times a minute', async () => {
  const lines = warnings()
  const client = new Client()
  client.send = async (url, init) => {
    const headers = new Headers(init.headers)
    headers.delete('Origin')
    return Client.way(url, { ...init, headers })
  }
  expect((await client.post('/api/client-errors', report)).status).toBe(403)
  const Origin = 'https://elsewhere.test'
  const page = new Client()
  expect((await page.post('/api/client-errors', report, { headers: { Origin } })).status).toBe(403)
  expect(lines()).toEqual([])
  const statuses = await inOneMinute(async () => {
    const sender = new Client()
    return inTurn(11, async () => (await sender.post('/api/client-errors', report)).status)
  })
  expect(statuses).toEqual([...Array<number>(10).fill(204), 429])
})
