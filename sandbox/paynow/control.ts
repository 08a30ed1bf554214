import { html, json, readJsonObject, seeOther, type Incoming, type Reply } from '../http.ts'
import { forgedBody } from './api.ts'
import { payPage, phonePage } from './pages.ts'
import {
  applyDue,
  keyOf,
  setStatus,
  type Paynow,
  type PaynowStatus,
  type Transaction,
} from './transactions.ts'

/** What a payer, a wallet or Paynow's staff does, and the status that follows. */
export const ACTIONS: Record<string, PaynowStatus> = {
  approve: 'Paid',
  'approve-in-escrow': 'Awaiting Delivery',
  deliver: 'Delivered',
  'wrong-pin': 'Cancelled',
  cancel: 'Cancelled',
  fail: 'Failed',
  send: 'Sent',
  dispute: 'Disputed',
  refund: 'Refunded',
  review: 'Under Review',
}

/**
 * Answers the pages and test endpoints about Paynow; null for any other path.
 * `GET /phone`, `GET /Payment/ConfirmPayment/:guid`, `POST /paynow/:guid {action}` (a form), `GET /paynow?reference=…`,
 * `POST /test/paynow {reference, action}`, `POST /test/paynow/post {reference, set?, sign?}`, `POST /test/paynow/settle`.
 */
export async function answerPaynowControl(paynow: Paynow, incoming: Incoming): Promise<Reply | null> {
  const { method, path, query } = incoming
  const { paynow: transactions, paynowPosts } = paynow.world.state
  if (method === 'GET' && path === '/phone') return html(phonePage(transactions))
  if (method === 'GET' && path === '/paynow') {
    const found = transactions.filter(({ reference }) => reference === query.get('reference'))
    const posts = paynowPosts.filter(({ reference }) => reference === query.get('reference'))
    return json({ transactions: found, posts })
  }
  const pay = /^\/Payment\/ConfirmPayment\/([\w-]+)$/iu.exec(path)
  const shown = transactions.find(({ guid }) => guid === pay?.[1])
  if (method === 'GET' && shown) return html(payPage(shown))
  const press = /^\/paynow\/([\w-]+)$/u.exec(path)
  const pressed = transactions.find(({ guid }) => guid === press?.[1])
  if (method === 'POST' && pressed) return pressButton(paynow, pressed, new URLSearchParams(incoming.body))
  if (method !== 'POST' || !path.startsWith('/test/paynow')) return null
  if (path === '/test/paynow/settle') {
    await paynow.posts.settled()
    return json({ ok: true })
  }
  const input = readJsonObject(incoming) ?? {}
  const transaction = transactions.findLast(({ reference }) => reference === input['reference'])
  if (!transaction) return json({ error: 'No transaction with this reference' }, 404)
  if (path === '/test/paynow/post') return json({ body: forge(paynow, transaction, input) })
  return path === '/test/paynow' ? act(paynow, transaction, String(input['action'])) : null
}

function act(paynow: Paynow, transaction: Transaction, action: string): Reply {
  if (action === 'wait') applyDue(paynow, transaction, true)
  else {
    const status = ACTIONS[action]
    if (!status) return json({ error: `action must be wait, ${Object.keys(ACTIONS).join(', ')}` }, 400)
    setStatus(paynow, transaction, status)
  }
  return json({ transaction })
}

/** A button on the phone's page returns there, one on Paynow's own page to the merchant. */
function pressButton(paynow: Paynow, transaction: Transaction, input: URLSearchParams): Reply {
  if (input.has('method')) transaction.method = input.get('method')
  const status = ACTIONS[input.get('action') ?? '']
  if (status) setStatus(paynow, transaction, status)
  return seeOther(input.has('method') ? transaction.returnUrl : '/phone')
}

/** `sign`: `key` (the true key, the default), `other` (a wrong key) or `old` (the hash of the true values). */
function forge(paynow: Paynow, transaction: Transaction, input: Record<string, unknown>): string {
  const { set, sign } = input
  const values = typeof set === 'object' && set !== null ? (set as Record<string, string>) : {}
  const key = sign === 'old' ? null : sign === 'other' ? 'another key' : keyOf(paynow, transaction)
  return forgedBody(paynow, transaction, values, key)
}
