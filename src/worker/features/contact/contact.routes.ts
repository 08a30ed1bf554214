import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { limitByIp } from '#worker/access/guards.ts'
import { route, type App } from '#worker/access/route.ts'
import { mailboxKey } from '#worker/platform/mailbox-key.ts'
import type { ContactInput } from '#shared/accounts/accounts.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { contactMessages, mails } from '#worker/schema/mail.table.ts'
import { mailRow, enqueueMail } from '#worker/platform/providers/mail.ts'
import { newId } from '#worker/platform/random.ts'
import { requireRateLimit } from '#worker/platform/rate-limiter.ts'

export function contactRoutes(app: App): void {
  route(app, api.contact, { limit: limitByIp('LIMIT_CONTACT') }, async ({ ctx, body }) => {
    await sendContactMessage(ctx, body)
    return { message: messages.contact.sentText }
  })
}

/**
 * Stores a message and mails it to the support address with the sender in Reply-To. It mails nothing to the sender, whose
 * address may belong to somebody else. Throws 429 after 3 messages an hour from one mailbox. Anybody can type any address, so
 * what others send in somebody's name doesn't count against that person while signed in.
 */
export async function sendContactMessage(ctx: RequestCtx, input: ContactInput): Promise<void> {
  const mailbox = mailboxKey(input.email)
  const isOwn = ctx.user !== null && mailboxKey(ctx.user.email) === mailbox
  const tooMany = messages.contact.tooMany(ctx.env.SUPPORT_EMAIL)
  await requireRateLimit(ctx, 'contactMessages', isOwn ? `own ${mailbox}` : mailbox, tooMany)
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
