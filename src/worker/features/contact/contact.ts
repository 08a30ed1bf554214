import type { ContactInput } from '#shared/contact.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { contactMessages } from '#worker/schema/contact.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { mailRow, enqueueMail } from '#worker/platform/outbox.ts'
import { newId } from '#worker/platform/random.ts'
import { requireRateLimit } from '#worker/platform/rate-limiter.ts'

/**
 * Stores a message and mails it to the support address with the sender in Reply-To. It mails nothing to the sender, whose
 * address may belong to somebody else. Throws 429 after 3 messages an hour from one address.
 */
export async function sendContactMessage(ctx: Ctx, input: ContactInput): Promise<void> {
  // A separate counter from mails to that mailbox; otherwise a stranger could block its owner's password reset.
  await requireRateLimit(ctx, 'mailsToMailbox', `contact:${input.email}`)
  const id = newId('contactMessage')
  const mail = mailRow(ctx, { kind: 'contact', recipient: ctx.env.SUPPORT_EMAIL, subjectId: id })
  await ctx.db.batch([
    ctx.db.insert(contactMessages).values({
      id,
      email: input.email,
      subject: input.subject,
      message: input.message,
      createdAt: ctx.now(),
    }),
    ctx.db.insert(mails).values(mail),
  ])
  await enqueueMail(ctx, mail.id)
}
