import { desc } from 'drizzle-orm'
import type { ContactMessagePage } from '#shared/admin.ts'
import { ADMIN_PAGE } from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { contactMessages } from '#worker/schema/contact.table.ts'
import { splitPage, isAfterCursor } from '#worker/platform/page-cursor.ts'

/** One page of the messages from the contact form, newest first. */
export async function listMessages(ctx: Ctx, cursor: string | null): Promise<ContactMessagePage> {
  const rows = await ctx.db
    .select()
    .from(contactMessages)
    .where(isAfterCursor(contactMessages, 'contactMessage', cursor))
    .orderBy(desc(contactMessages.createdAt), desc(contactMessages.id))
    .limit(ADMIN_PAGE + 1)
  const { page, nextCursor } = splitPage(rows, ADMIN_PAGE)
  return {
    messages: page.map(({ id, email, subject, message, createdAt }) => ({
      id,
      email,
      subject,
      message,
      createdAt: new Date(createdAt).toISOString(),
    })),
    nextCursor,
  }
}
