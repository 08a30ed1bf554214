import { listMails } from './mail.ts'
import type { Mail } from './mail.ts'
import { escapeHtml, page, timeTag } from './page.ts'
import type { World } from './world.ts'

/** The list of mails, newest first; `search` is a part of the recipient's address. */
export function mailboxPage(world: World, search: string | null): string {
  const wanted = search?.trim().toLowerCase() ?? ''
  const mails = listMails(world, null).filter((mail) => mail.to.toLowerCase().includes(wanted))
  const items = mails.map(
    (mail) => `<li><a href="/mailbox/${mail.id}">
<strong>${escapeHtml(mail.subject)}</strong>
<span class="row soft"><span>${escapeHtml(mail.to)}</span>${timeTag(new Date(mail.receivedAt))}</span>
</a></li>`,
  )
  const emptyText = wanted ? 'No mail to this address.' : 'No mail yet.'
  return page(
    'Mailbox',
    `<form role="search" action="/mailbox">
<label>Recipient <input type="search" name="to" value="${escapeHtml(search ?? '')}" placeholder="name@example.com"></label>
<button>Search</button>
</form>
${items.length > 0 ? `<ul class="list">${items.join('\n')}</ul>` : `<p class="soft">${emptyText}</p>`}`,
  )
}

/** One mail: the HTML part in a frame that cannot run scripts, the plain text, and the headers. */
export function mailPage(mail: Mail): string {
  const headers = Object.entries(mail.headers)
    .map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`)
    .join('')
  const frame = `<h2>As it looks</h2>
<iframe title="The message" sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="${escapeHtml(`<base target="_blank">${mail.html}`)}"></iframe>`
  return page(
    mail.subject,
    `<p class="soft">To ${escapeHtml(mail.to)}, ${timeTag(new Date(mail.receivedAt))}</p>
${mail.html ? frame : ''}
<h2>Plain text</h2>
<div class="card"><pre>${mail.text ? linkify(mail.text) : '<span class="soft">There is none.</span>'}</pre></div>
${attachmentsHtml(mail)}
<h2>Headers</h2>
<dl>${headers}</dl>`,
  )
}

/** Each file to open or save, and its content if that is text. */
function attachmentsHtml({ attachments = [] }: Mail): string {
  return attachments
    .map(({ filename, type, content }) => {
      const address = escapeHtml(`data:${type};base64,${content}`)
      const text = type.startsWith('text/') ? Buffer.from(content, 'base64').toString('utf8') : ''
      return `<h2>Attached: <a href="${address}" download="${escapeHtml(filename)}">${escapeHtml(filename)}</a></h2>
<p class="soft">${escapeHtml(type)}</p>
${text === '' ? '' : `<div class="card"><pre>${escapeHtml(text)}</pre></div>`}`
    })
    .join('\n')
}

function linkify(text: string): string {
  return text
    .split(/(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]])/)
    .map((part, index) => {
      const shown = escapeHtml(part)
      return index % 2 === 1 ? `<a href="${shown}">${shown}</a>` : shown
    })
    .join('')
}
