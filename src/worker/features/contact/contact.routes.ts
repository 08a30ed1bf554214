import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { limitByIp } from '#worker/access/guards.ts'
import { route, type App } from '#worker/access/route.ts'
import { mailboxKey } from '#worker/features/accounts/mail-budgets.ts'
import type { ContactInput } from '#shared/accounts.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { contactMessages, mails } from '#worker/schema/mail.table.ts'
import { mailRow, enqueueMail } from '#worker/platform/mail.ts'
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
 * address may belong to somebody else. Throws 429 after 3 messages an hour from one address.
 */
export async function sendContactMessage(ctx: Ctx, input: ContactInput): Promise<void> {
  await requireRateLimit(ctx, 'contactMessages', mailboxKey(input.email))
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
