import { escapeHtml, page } from '../page.ts'
import type { Transaction } from './transactions.ts'

const WAITING: ReadonlySet<string> = new Set(['Created', 'Sent'])

/** The payers' phones: each request for a PIN or a code, newest first, with what a person can answer. */
export function phonePage(transactions: Transaction[]): string {
  const items = transactions
    .filter(({ method }) => method !== null)
    .toReversed()
    .map((transaction) => `<li><div>${request(transaction)}</div></li>`)
  return page(
    'Phones',
    items.length > 0 ? `<ul class="list">${items.join('\n')}</ul>` : '<p class="soft">No requests yet.</p>',
  )
}

function request(transaction: Transaction): string {
  const { method, phone, amount, status, info, code } = transaction
  const words =
    method === 'omari'
      ? `Text message: your code is ${code}`
      : method === 'innbucks'
        ? `InnBucks code ${code}`
        : 'Enter your PIN to pay'
  return `<span class="row"><strong>${escapeHtml(`${method ?? ''} ${phone}`)}</strong><span>${status}</span></span>
<span class="row soft"><span>${escapeHtml(info)}</span><span>${escapeHtml(amount)}</span></span>
<p>${escapeHtml(words)}</p>${WAITING.has(status) ? buttons(transaction) : ''}`
}

/** O'mari's code is typed at the merchant, so its phone has nothing to press. */
function buttons({ guid, method }: Transaction): string {
  if (method === 'omari') return ''
  const answers =
    method === 'innbucks'
      ? [['approve', 'Approve']]
      : [
          ['approve', 'Right PIN'],
          ['wrong-pin', 'Wrong PIN'],
        ]
  const pressed = [...answers, ['cancel', 'Cancel']].map(
    ([action, label]) => `<button name="action" value="${action}">${label}</button>`,
  )
  return `<form method="post" action="/paynow/${guid}">\n${pressed.join('\n')}\n</form>`
}

/** Paynow's own page, where a payer chooses how to pay. */
export function payPage({ guid, amount, info, status }: Transaction): string {
  if (!WAITING.has(status)) return page('Paynow', `<p>This payment is ${escapeHtml(status)}.</p>`)
  const choices = ['zimswitch', 'ecocash', 'visa'].map(
    (method) => `<option value="${method}">${method}</option>`,
  )
  return page(
    'Paynow',
    `<p>${escapeHtml(info)}: <strong>${escapeHtml(amount)}</strong></p>
<form method="post" action="/paynow/${guid}">
<label>Pay with<select name="method">${choices.join('')}</select></label>
<button name="action" value="approve">Pay</button>
<button name="action" value="cancel">Cancel</button>
</form>`,
  )
}
