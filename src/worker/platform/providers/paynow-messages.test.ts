import { describe, expect, test } from 'vitest'
import {
  centsOf,
  encodePaynowMessage,
  fieldOf,
  parsePaynowMessage,
  verifyPaynowMessage,
} from '#worker/platform/providers/paynow-messages.ts'

/** The public key of Paynow's own examples. */
const KEY = '3e9fed89-60e1-4ce5-ab6e-6b1eb2d4f977'
const DIGEST_OF_ORDER =
  'A24B72529AB5477C672D0C09EE75C5703A29A93C3C22CE35CF7F18692A6BBBC265801B65007D114AD3986D18CFA862516D0EBC5EF4075914FB9691251B64BCF4'
const ANSWER =
  'status=Ok&browserurl=https%3a%2f%2fstaging.paynow.co.zw%2fPayment%2fConfirmPayment%2f9510&pollurl=https%3a%2f%2fstaging.paynow.co.zw%2fInterface%2fCheckPayment%2f%3fguid%3dc7ed41da-0159-46da-b428-69549f770413&paynowreference=9510&hash=750DD0B0DF374678707BB5AF915AF81C228B9058AD57BB7120569EC68BBB9C2EFC1B26C6375D2BC562AC909B3CD6B2AF1D42E1A5E479FFAC8F4FB3FDCE71DF4D'
const PAID =
  'reference=NHK-7Q2-1&paynowreference=100001&amount=60.00&status=Paid&pollurl=https%3a%2f%2fwww.paynow.co.zw%2fInterface%2fCheckPayment%2f%3fguid%3d00000000-0000-0000-0000-000000000001'
const DIGEST_OF_PAID =
  '13E629D32D2D032B1C348CC7FEA220468BA50F5B97A00A93FDA993AAE872EB10D04851A905918A56BE55C36B860A3F697E5EE42EC45F60F23391516BB9B52758'
const PAID_SIGNED = `${PAID}&hash=${DIGEST_OF_PAID}`

const hashIn = (body: string) => new URLSearchParams(body).get('hash')
const verify = (body: string, key = KEY) => verifyPaynowMessage(parsePaynowMessage(body), key)

describe('messages to Paynow', () => {
  test('the example of Paynow’s documents gets the hash that they print', () => {
    const body = encodePaynowMessage(
      [
        ['id', '1201'],
        ['reference', 'TEST REF'],
        ['amount', '99.99'],
        ['additionalinfo', 'A test ticket transaction'],
        ['returnurl', 'http://www.google.com/search?q=returnurl'],
        ['resulturl', 'http://www.google.com/search?q=resulturl'],
        ['status', 'Message'],
      ],
      KEY,
    )
    expect(hashIn(body)).toBe(
      '2A033FC38798D913D42ECB786B9B19645ADEDBDE788862032F1BD82CF3B92DEF84F316385D5B40DBB35F1A4FD7D5BFE73835174136463CDD48C9366B0749C689',
    )
  })

  const order = [
    ['id', '1201'],
    ['reference', 'NHK-7Q2-1'],
    ['amount', '60.00'],
    ['additionalinfo', 'Memorial: Ambuya Chipo & family'],
    ['returnurl', 'https://example.test/pay/back?o=7Q2'],
    ['resulturl', 'https://example.test/pay/paynow/result'],
    ['authemail', 'giver+1@example.test'],
    ['status', 'Message'],
  ] as const

  test('values are hashed as they are, and encoded once', () => {
    const body = encodePaynowMessage(order, KEY)
    expect(hashIn(body)).toBe(DIGEST_OF_ORDER)
    expect(body).toContain('additionalinfo=Memorial%3A+Ambuya+Chipo+%26+family')
    expect(new URLSearchParams(body).get('authemail')).toBe('giver+1@example.test')
  })

  test('empty fields are left out, and the key’s case and spaces don’t matter', () => {
    const body = encodePaynowMessage(
      [...order.slice(0, -1), ['authname', ''], order[7]],
      ` ${KEY.toUpperCase()}\n`,
    )
    expect(hashIn(body)).toBe(DIGEST_OF_ORDER)
    expect(body).not.toContain('authname')
  })
})

describe('messages from Paynow', () => {
  test('the example of Paynow’s documents is genuine, and a result post too', () => {
    expect(() => verify(ANSWER)).not.toThrow()
    expect(() => verify(PAID_SIGNED)).not.toThrow()
  })

  test('names are read in any case, a hash in any case, and unknown fields count', () => {
    expect(fieldOf(parsePaynowMessage('Status=Ok&BrowserUrl=x%3dy+z'), 'browserurl')).toBe('x=y z')
    expect(() => verify(`${PAID}&hash=${DIGEST_OF_PAID.toLowerCase()}`)).not.toThrow()
    const more = encodePaynowMessage([...parsePaynowMessage(PAID), ['10', 'a'], ['2', 'b']], KEY)
    expect(() => verify(more)).not.toThrow()
    expect(() => verify(more.replace('&2=b', '&2=c'))).toThrow('wrong hash')
  })

  test('a value keeps its further equals signs, encoded or not', () => {
    expect(parsePaynowMessage('pollurl=https://www.paynow.co.zw/?guid=a=b&x=%3d=')).toEqual([
      ['pollurl', 'https://www.paynow.co.zw/?guid=a=b'],
      ['x', '=='],
    ])
  })

  test.each([
    ['another key', PAID_SIGNED, '11111111-1111-1111-1111-111111111111'],
    ['no hash', PAID, KEY],
    ['an empty hash', `${PAID}&hash=`, KEY],
    ['a short hash', `${PAID}&hash=${DIGEST_OF_PAID.slice(0, 127)}`, KEY],
    ['another amount', PAID_SIGNED.replace('60.00', '600.0'), KEY],
    ['another reference', PAID_SIGNED.replace('NHK-7Q2-1', 'NHK-7Q2-2'), KEY],
    ['another status', PAID_SIGNED.replace('=Paid', '=Sent'), KEY],
    ['another poll address', PAID_SIGNED.replace('www.paynow', 'evil.paynow'), KEY],
    ['another order of fields', PAID_SIGNED.replace(/^(.*?)&(.*?)&/u, '$2&$1&'), KEY],
  ])('with %s it is refused', (_what, body, key) => {
    expect(() => verify(body, key)).toThrow('wrong hash')
  })

  test('two splits of the same values share one hash, so it doesn’t prove an amount', () => {
    const split = PAID_SIGNED.replace('100001&amount=60.00', '10000&amount=160.00')
    expect(() => verify(split)).not.toThrow()
    expect(centsOf(fieldOf(parsePaynowMessage(split), 'amount'))).toBe(16_000)
  })

  test.each([
    ['a page', '<!doctype html><p>Busy</p>', 'not made of fields'],
    ['nothing', '', 'not made of fields'],
    ['a field twice', `${PAID_SIGNED}&Amount=60.00`, 'a field twice'],
    ['a broken encoding', 'status=%zz', 'not URL-encoded'],
    ['a flood of fields', Array.from({ length: 41 }, (_, at) => `a${at}=1`).join('&'), 'too many fields'],
  ])('%s is refused as no message', (_what, body, reason) => {
    expect(() => parsePaynowMessage(body)).toThrow(reason)
  })

  test.each([
    ['60', 6000],
    ['60.0', 6000],
    ['60.00', 6000],
    ['59.99', 5999],
    ['6000', 600_000],
    ['60,00', null],
    ['60.001', null],
    ['-60.00', null],
    [' 60.00', null],
    ['6e1', null],
    ['', null],
  ])('the amount %j is %s cents', (amount, cents) => {
    expect(centsOf(amount)).toBe(cents)
  })
})
