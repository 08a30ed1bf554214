import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { startSandbox } from '../server.ts'
import { hashOf, readFields, signedBody, valueOf, type Fields } from './messages.ts'

/** The public key of Paynow's own examples. */
const KEY = '3e9fed89-60e1-4ce5-ab6e-6b1eb2d4f977'
const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

const ORDER: Record<string, string> = {
  id: '1201',
  reference: 'ord-1',
  amount: '60.00',
  additionalinfo: 'A memorial & more',
  returnurl: 'https://example.test/back',
  resulturl: 'http://127.0.0.1:1/result',
  authemail: 'giver+1@example.test',
  merchanttrace: 'trace-1',
  status: 'Message',
}
const ECOCASH = { ...ORDER, method: 'ecocash', phone: '0771234567' }

async function start() {
  let now = Date.UTC(2026, 10, 24, 13)
  const received: string[] = []
  const answers = { status: 200 }
  const merchant: Server = createServer((request, response) => {
    let body = ''
    request.on('data', (part) => (body += part))
    request.on('end', () => {
      received.push(body)
      response.writeHead(answers.status).end()
    })
  })
  await new Promise<void>((resolve) => void merchant.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => new Promise((resolve) => merchant.close(resolve)))
  const resulturl = `http://127.0.0.1:${(merchant.address() as AddressInfo).port}/result`
  const sandbox = await startSandbox({ nowMs: () => now, retryDelaysMs: [0] })
  cleanups.push(sandbox.close)

  async function post(path: string, body: string): Promise<{ text: string; fields: Fields; status: number }> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const response = await fetch(new URL(path, sandbox.url), { method: 'POST', headers, body })
    const text = await response.text()
    return { text, fields: readFields(text) ?? [], status: response.status }
  }
  const call = (path: string, order: Record<string, string>, key = KEY) =>
    post(path, signedBody(Object.entries({ ...order, ...(order['resulturl'] ? { resulturl } : {}) }), key))
  const control = async (path: string, body: object) =>
    (await fetch(`${sandbox.url}${path}`, { method: 'POST', body: JSON.stringify(body) })).json() as Promise<{
      body: string
      transaction: { guid: string; status: string }
    }>
  const statuses = () => received.map((body) => valueOf(readFields(body) ?? [], 'status'))
  const wait = (ms: number) => void (now += ms)
  return { sandbox, post, call, control, received, statuses, answers, wait }
}

const isSigned = (fields: Fields, key = KEY) => valueOf(fields, 'hash') === hashOf(fields, key)

test('the examples of Paynow’s documents have the hash that they print', () => {
  const example: Fields = [
    ['id', '1201'],
    ['reference', 'TEST REF'],
    ['amount', '99.99'],
    ['additionalinfo', 'A test ticket transaction'],
    ['returnurl', 'http://www.google.com/search?q=returnurl'],
    ['resulturl', 'http://www.google.com/search?q=resulturl'],
    ['status', 'Message'],
  ]
  expect(hashOf(example, KEY)).toBe(
    '2A033FC38798D913D42ECB786B9B19645ADEDBDE788862032F1BD82CF3B92DEF84F316385D5B40DBB35F1A4FD7D5BFE73835174136463CDD48C9366B0749C689',
  )
  const answer = readFields(
    'status=Ok&browserurl=https%3a%2f%2fstaging.paynow.co.zw%2fPayment%2fConfirmPayment%2f9510&pollurl=https%3a%2f%2fstaging.paynow.co.zw%2fInterface%2fCheckPayment%2f%3fguid%3dc7ed41da-0159-46da-b428-69549f770413&paynowreference=9510&hash=750DD0B0DF374678707BB5AF915AF81C228B9058AD57BB7120569EC68BBB9C2EFC1B26C6375D2BC562AC909B3CD6B2AF1D42E1A5E479FFAC8F4FB3FDCE71DF4D',
  )
  expect(isSigned(answer ?? [])).toBe(true)
})

test('a payment on a page gets a signed answer and a result post that the poll repeats', async () => {
  const { post, call, received, sandbox } = await start()
  const { text, fields } = await call('/interface/initiatetransaction', ORDER)
  expect(text).toMatch(/^Status=Ok&BrowserUrl=http%3a%2f%2f/u)
  expect(isSigned(fields)).toBe(true)
  const page = valueOf(fields, 'browserurl')
  expect(await (await fetch(page)).text()).toContain('A memorial &amp; more')

  const guid = page.split('/').at(-1) ?? ''
  const back = await fetch(`${sandbox.url}/paynow/${guid}`, {
    method: 'POST',
    body: new URLSearchParams({ method: 'zimswitch', action: 'approve' }),
    redirect: 'manual',
  })
  expect([back.status, back.headers.get('location')]).toEqual([303, ORDER['returnurl']])
  await sandbox.settled()
  expect(received).toHaveLength(1)
  const result = readFields(received[0] ?? '') ?? []
  expect(isSigned(result)).toBe(true)
  expect(Object.fromEntries(result)).toMatchObject({
    reference: 'ord-1',
    amount: '60.00',
    status: 'Paid',
    paynowreference: valueOf(fields, 'paynowreference'),
  })
  const polled = await post(valueOf(result, 'pollurl'), '')
  expect(polled.fields).toEqual(result)
  expect(await (await fetch(valueOf(result, 'pollurl'))).text()).toContain('<!doctype html>')
})

test('a push to a phone waits for its PIN, and its status never goes back', async () => {
  const { call, control, statuses, sandbox } = await start()
  const { fields } = await call('/interface/remotetransaction', ECOCASH)
  expect(valueOf(fields, 'instructions')).toContain('*151*2')
  expect(valueOf(fields, 'browserurl')).toBe('')
  expect(await (await fetch(`${sandbox.url}/phone`)).text()).toContain('ecocash 0771234567')
  await control('/test/paynow', { reference: 'ord-1', action: 'wrong-pin' })
  const late = await control('/test/paynow', { reference: 'ord-1', action: 'approve' })
  expect(late.transaction.status).toBe('Cancelled')
  await sandbox.settled()
  expect(statuses()).toEqual(['Sent', 'Cancelled'])
})

test.each([
  ['0771111111', 5_000, 'Paid'],
  ['0772222222', 30_000, 'Paid'],
  ['0773333333', 30_000, 'Failed'],
])('the test number %s becomes after %i ms %s', async (phone, ms, status) => {
  const { post, call, wait } = await start()
  const { fields } = await call('/interface/remotetransaction', { ...ECOCASH, phone })
  const poll = async () => valueOf((await post(valueOf(fields, 'pollurl'), '')).fields, 'status')
  wait(ms - 1)
  expect(await poll()).toBe('Sent')
  wait(1)
  expect(await poll()).toBe(status)
})

test.each([
  ['another key', {}, 'another key', /^Invalid Hash\. {2}Hash should start with: [0-9A-F]{6}$/u],
  ['an unknown integration', { id: '99' }, KEY, /^Invalid id\.$/u],
  ['a comma in the amount', { amount: '60,00' }, KEY, /^Invalid amount field$/u],
  ['no e-mail', { authemail: '' }, KEY, /authemail/u],
  ['a method that isn’t enabled', { method: 'telecash' }, KEY, /not enabled/u],
  ['a phone number with a country code', { phone: '+263771234567' }, KEY, /phone/u],
  ['a long trace', { merchanttrace: 'x'.repeat(33) }, KEY, /merchanttrace/u],
  ['no balance', { phone: '0774444444' }, KEY, /^Insufficient balance$/u],
])('with %s an order is refused, unsigned and with status 200', async (_what, set, key, error) => {
  const { call } = await start()
  const { status, fields } = await call('/interface/remotetransaction', { ...ECOCASH, ...set }, key)
  expect([status, valueOf(fields, 'status'), valueOf(fields, 'hash')]).toEqual([200, 'Error', ''])
  expect(valueOf(fields, 'error')).toMatch(error)
})

test('InnBucks gets a code, and O’mari asks for the one it sent, five times at most', async () => {
  const { call, control, sandbox, statuses } = await start()
  const innbucks = await call('/interface/remotetransaction', { ...ECOCASH, method: 'innbucks' })
  expect(valueOf(innbucks.fields, 'authorizationcode')).toMatch(/^\d{9}$/u)
  expect(valueOf(innbucks.fields, 'authorizationexpires')).toBe('24-Nov-2026 15:10')

  const omari = { ...ECOCASH, method: 'omari', reference: 'ord-2', merchanttrace: 'trace-2' }
  const { fields } = await call('/interface/remotetransaction', omari)
  const enter = (otp: string) => call(valueOf(fields, 'remoteotpurl'), { id: '1201', otp, status: 'Message' })
  expect((await enter('000000')).text).toBe('status=Error&error=Invalid+OTP')
  expect(valueOf((await enter('123456')).fields, 'status')).toBe('Awaiting Delivery')

  const third = { ...omari, reference: 'ord-3', merchanttrace: 'trace-3' }
  const again = await call('/interface/remotetransaction', third)
  for (const otp of ['1', '2', '3', '4', '5'])
    await call(valueOf(again.fields, 'remoteotpurl'), { id: '1201', otp, status: 'Message' })
  const { transaction } = await control('/test/paynow', { reference: 'ord-3', action: 'approve' })
  expect(transaction.status).toBe('Cancelled')
  await sandbox.settled()
  expect(statuses()).toEqual(['Sent', 'Sent', 'Awaiting Delivery', 'Sent', 'Cancelled'])
})

test('a trace finds an order whose answer was lost, and says when there is none', async () => {
  const { call, control } = await start()
  await control('/faults', { service: 'paynow', mode: 'drop', match: 'remotetransaction', times: 1 })
  await expect(call('/interface/remotetransaction', ECOCASH)).rejects.toThrow()
  const ask = (merchanttrace: string) =>
    call('/interface/trace', { id: '1201', merchanttrace, status: 'Message' })
  const found = await ask('trace-1')
  expect([isSigned(found.fields), valueOf(found.fields, 'reference')]).toEqual([true, 'ord-1'])
  const none = await ask('trace-9')
  expect([isSigned(none.fields), valueOf(none.fields, 'status')]).toEqual([true, 'NotFound'])
  await control('/faults', { service: 'paynow', mode: 'tracefailed' })
  expect((await ask('trace-1')).text).toBe('status=Error&error=Trace+failed')
})

test.each([
  ['fail', 500, 'Server Error'],
  ['forbid', 403, 'Forbidden'],
  ['html', 200, '<!doctype html>'],
  ['empty', 200, ''],
])('the fault %s answers %i', async (mode, status, text) => {
  const { call, control } = await start()
  await control('/faults', { service: 'paynow', mode })
  const answer = await call('/interface/remotetransaction', ECOCASH)
  expect(answer.status).toBe(status)
  expect(answer.text).toContain(text)
  expect(valueOf(answer.fields, 'status')).toBe('')
})

test('a result post can come before the answer, again and again, or forged', async () => {
  const { call, control, statuses, answers, sandbox } = await start()
  await control('/faults', { service: 'paynow', mode: 'early', times: 1 })
  await call('/interface/remotetransaction', ECOCASH)
  expect(statuses()).toEqual(['Sent'])

  answers.status = 404
  await control('/test/paynow', { reference: 'ord-1', action: 'approve' })
  await expect.poll(() => statuses().filter((status) => status === 'Paid').length).toBe(11)
  await sandbox.settled()

  const forge = async (input: object) =>
    readFields((await control('/test/paynow/post', { reference: 'ord-1', ...input })).body) ?? []
  expect(isSigned(await forge({}))).toBe(true)
  expect(isSigned(await forge({ set: { amount: '1.00' } }))).toBe(true)
  expect(isSigned(await forge({ set: { amount: '1.00' }, sign: 'old' }))).toBe(false)
  expect(isSigned(await forge({ sign: 'other' }))).toBe(false)
})

test('a payment in escrow, delivered, then disputed and given back posts each state', async () => {
  const { call, control, statuses, sandbox } = await start()
  await call('/interface/remotetransaction', ECOCASH)
  const states = ['Awaiting Delivery', 'Delivered', 'Paid', 'Disputed', 'Refunded', 'Refunded']
  for (const action of ['approve-in-escrow', 'deliver', 'approve', 'dispute', 'refund', 'cancel']) {
    await control('/test/paynow', { reference: 'ord-1', action })
  }
  await sandbox.settled()
  // What is given back is over.
  expect(statuses()).toEqual(['Sent', ...states.slice(0, 5)])
})

test('the phones’ page has each method’s buttons, and none for a code typed elsewhere', async () => {
  const { call, sandbox } = await start()
  const buttons: Record<string, string[]> = {}
  for (const method of ['ecocash', 'innbucks', 'omari']) {
    const order = { ...ECOCASH, method, reference: method, merchanttrace: method }
    await call('/interface/remotetransaction', order)
    const [newest = ''] = (await (await fetch(`${sandbox.url}/phone`)).text()).split('</li>')
    buttons[method] = [...newest.matchAll(/<button[^>]*>([^<]*)/gu)].map(([, label]) => label ?? '')
  }
  expect(buttons).toEqual({
    ecocash: ['Right PIN', 'Wrong PIN', 'Cancel'],
    innbucks: ['Approve', 'Cancel'],
    omari: [],
  })
})

test('an answer can lack its hash', async () => {
  const { call, control } = await start()
  await control('/faults', { service: 'paynow', mode: 'unsigned', times: 1 })
  const { fields } = await call('/interface/remotetransaction', ECOCASH)
  expect([valueOf(fields, 'status'), valueOf(fields, 'hash')]).toEqual(['Ok', ''])
})

test('numbers from 1,000 have a comma in states, and none in answers to a start', async () => {
  const { call, post } = await start()
  const numbers: string[][] = []
  for (const turn of [1, 2, 3]) {
    const order = { ...ORDER, reference: `ord-${turn}`, merchanttrace: `trace-${turn}` }
    const { fields } = await call('/interface/initiatetransaction', order)
    const polled = await post(valueOf(fields, 'pollurl'), '')
    numbers.push([fields, polled.fields].map((answer) => valueOf(answer, 'paynowreference')))
  }
  expect(numbers).toEqual([
    ['998', '998'],
    ['999', '999'],
    ['1000', '1,000'],
  ])
})
