import { escapeHtml, page, timeTag } from '../page.ts'
import type { Delivery } from '../deliveries.ts'
import type { WebhookRecord } from './webhooks.ts'

/** The list of Stripe's events, newest first, with a button to send each again. */
export function webhooksPage(records: WebhookRecord[], url: string | null): string {
  const items = records.map(
    ({ event, state, deliveries, body }) => `<li><div>
<span class="row"><strong>${escapeHtml(event.type)}</strong><span>${state}</span></span>
<span class="row soft"><span>${event.id}</span>${timeTag(new Date(event.created * 1000))}</span>
${deliveries.map(describe).join('')}
<details><summary class="soft">Event</summary><pre>${escapeHtml(body)}</pre></details>
<form method="post" action="/webhooks/${event.id}/replay"><button>Send again</button></form>
</div></li>`,
  )
  const list =
    items.length > 0 ? `<ul class="list">${items.join('\n')}</ul>` : '<p class="soft">No events yet.</p>'
  const target = url === null ? 'Events are not sent anywhere.' : `Events are sent to ${escapeHtml(url)}`
  return page('Webhooks', `<p class="soft">${target}</p>${list}`)
}

function describe(delivery: Delivery): string {
  const answer = delivery.answer ? `: ${delivery.answer.slice(0, 200)}` : ''
  const result = delivery.status === null ? (delivery.error ?? 'No answer') : `${delivery.status}${answer}`
  return `<span class="row soft"><span>${escapeHtml(result)}</span>${timeTag(new Date(delivery.at))}</span>`
}
