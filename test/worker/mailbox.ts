import { eq } from 'drizzle-orm'
import { inject, vi } from 'vitest'
import { sendMail } from '#worker/features/mail/mail.jobs.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { testCtx } from './harness.ts'

type ReceivedMail = {
  to: string
  from: string
  subject: string
  text: string
  html: string
  headers: Record<string, string>
  /** Base64. */
  attachments?: { filename: string; type: string; content: string }[]
}

const sandboxUrl = inject('sandboxUrl')

/** Mails received by an address, newest first. */
export async function receivedBy(address: string): Promise<ReceivedMail[]> {
  const response = await fetch(`${sandboxUrl}/mail?to=${encodeURIComponent(address)}`)
  return (await response.json<{ messages: ReceivedMail[] }>()).messages
}

/**
 * Like {@link receivedBy}, after at least `count` mails for this address exist and none is left in the outbox.
 * A cancelled mail counts as well.
 */
export async function mailboxOf(address: string, count = 0): Promise<ReceivedMail[]> {
  const ctx = testCtx()
  await vi.waitFor(
    async () => {
      const made = await ctx.db
        .select({ id: mails.id, status: mails.status })
        .from(mails)
        .where(eq(mails.recipient, address))
      const waiting = made.filter(({ status }) => status === 'QUEUED')
      for (const { id } of waiting) await sendMail(ctx, id)
      if (waiting.length > 0 || made.length < count) {
        throw new Error(`mail for ${address} has not arrived yet`)
      }
    },
    { timeout: 60_000, interval: 50 },
  )
  return receivedBy(address)
}

/**
 * The newest mail for an address with this subject, once it has come. Unlike a count of mails, it can't take a mail for
 * another one that the Worker writes in the background. `count`: at least so many were made before.
 */
export async function mailWith(address: string, subject: string, count = 0): Promise<ReceivedMail> {
  return vi.waitFor(
    async () => {
      const received = await mailboxOf(address, count)
      const mail = received.find((one) => one.subject === subject)
      if (!mail) throw new Error(`no mail for ${address} with “${subject}” yet`)
      return mail
    },
    { timeout: 60_000, interval: 50 },
  )
}

/** The token in the link of a mail, as a person would copy it from the text. */
export function tokenIn(mail: ReceivedMail | undefined): string {
  const token = /\/(?:verify-email|reset-password|confirm-email|undo-email)\/([\w-]+)/u.exec(
    mail?.text ?? '',
  )?.[1]
  if (!token) throw new Error(`no link in ${JSON.stringify(mail?.subject)}`)
  return token
}

/** Makes a call to the sandbox that only tests make. */
export async function tellSandbox(path: string, body: object): Promise<void> {
  const headers = { 'Content-Type': 'application/json' }
  const response = await fetch(`${sandboxUrl}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
}

/** Makes MailChannels fail for the calls that contain `match`. */
export async function injectMailFault(mode: 'fail' | 'drop', match: string, times = 1): Promise<void> {
  await tellSandbox('/faults', { service: 'mail', mode, match, times })
}
