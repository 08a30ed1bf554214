import { and, eq, gt, isNotNull, isNull } from 'drizzle-orm'
import { fillPath } from '#shared/fill-path.ts'
import { HOUR_MS } from '#shared/limits.ts'
import { paths } from '#shared/pages/pages.ts'
import { remakeLinkToken } from '#worker/access/pepper.ts'
import {
  emailChangedMail,
  emailChangeNewMail,
  emailChangeOldMail,
  emailChangeTakenMail,
  emailChangeUndoneMail,
} from '#worker/features/mail/email-change-mails.ts'
import { isMailboxFull } from '#worker/features/mail/mailbox-limits.ts'
import { link } from '#worker/platform/links.ts'
import type { RenderedMail } from '#worker/features/mail/render-mail.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { emailChanges } from '#worker/schema/accounts.table.ts'
import type { mails } from '#worker/schema/mail.table.ts'

type MailRow = typeof mails.$inferSelect

/** Mails about another address of an account; null when the change was replaced, undone or is too old. */
export const emailChangeMails = {
  async 'email-change-new'(ctx: Ctx, mail: MailRow): Promise<RenderedMail | null> {
    const row = await findPending(ctx, mail.subjectId)
    const token = row && remakeLinkToken(ctx, row.newTokenHash, 'email-new', row.id)
    if (!row || !token) return null
    const url = link(ctx, fillPath(paths.confirmEmail, { token }))
    return emailChangeNewMail({ url, hours: hoursUntil(ctx, row.expiresAt) })
  },

  async 'email-change-taken'(ctx: Ctx, mail: MailRow): Promise<RenderedMail | null> {
    if (await isMailboxFull(ctx, mail, 'alreadyRegisteredMails')) return null
    return emailChangeTakenMail({ loginUrl: link(ctx, '/login'), forgotUrl: link(ctx, '/forgot-password') })
  },

  async 'email-change-old'(ctx: Ctx, mail: MailRow): Promise<RenderedMail | null> {
    const row = await findPending(ctx, mail.subjectId)
    const token = row && remakeLinkToken(ctx, row.oldTokenHash, 'email-old', row.id)
    if (!row || !token) return null
    return emailChangeOldMail({
      newEmail: row.newEmail,
      url: link(ctx, fillPath(paths.confirmEmail, { token })),
      hours: hoursUntil(ctx, row.expiresAt),
      forgotUrl: link(ctx, '/forgot-password'),
    })
  },

  async 'email-changed'(ctx: Ctx, mail: MailRow): Promise<RenderedMail | null> {
    const isUndoable = and(isNotNull(emailChanges.changedAt), isNull(emailChanges.undoneAt))
    const row = await find(ctx, mail.subjectId, isUndoable)
    const token = row && remakeLinkToken(ctx, row.undoTokenHash, 'email-undo', row.id)
    if (!row || !token) return null
    return emailChangedMail({
      newEmail: row.newEmail,
      undoUrl: link(ctx, fillPath(paths.undoEmail, { token })),
      undoUntil: row.expiresAt,
      supportEmail: ctx.env.SUPPORT_EMAIL,
    })
  },

  async 'email-change-undone'(ctx: Ctx): Promise<RenderedMail | null> {
    return emailChangeUndoneMail({ supportEmail: ctx.env.SUPPORT_EMAIL })
  },
}

function findPending(ctx: Ctx, id: string) {
  return find(ctx, id, isNull(emailChanges.changedAt))
}

async function find(ctx: Ctx, id: string, condition: ReturnType<typeof and>) {
  const isLive = and(eq(emailChanges.id, id), gt(emailChanges.expiresAt, ctx.now()), condition)
  const [row] = await ctx.db.select().from(emailChanges).where(isLive)
  return row ?? null
}

function hoursUntil(ctx: Ctx, at: number): number {
  return Math.max(1, Math.round((at - ctx.now()) / HOUR_MS))
}
