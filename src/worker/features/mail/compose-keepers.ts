import { eq } from 'drizzle-orm'
import { fillPath } from '#shared/fill-path.ts'
import { keeperMessages } from '#shared/keeper-messages.ts'
import { paths } from '#shared/pages.ts'
import { keeperInviteToken, selectLiveInvite } from '#worker/features/keepers/keeper-invites.ts'
import { link } from '#worker/platform/links.ts'
import { renderMail, type RenderedMail } from '#worker/features/mail/render-mail.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { keeperInvites } from '#worker/schema/keepers.table.ts'
import type { mails } from '#worker/schema/mail.table.ts'

/** Mails to people whom an owner asks to look after a memorial with them; null once the invitation has ended. */
export const keeperMails = {
  async 'keeper-invite'(ctx: Ctx, { subjectId }: typeof mails.$inferSelect): Promise<RenderedMail | null> {
    const [found] = await selectLiveInvite(ctx, eq(keeperInvites.id, subjectId))
    if (!found) return null
    const { invite, honoureeFullName, invitedBy } = found
    const url = link(ctx, fillPath(paths.keeperInvite, { token: keeperInviteToken(ctx, invite) }))
    return renderMail({
      subject: 'Please help us look after a memorial',
      paragraphs: [
        `${invitedBy} asks you to look after the memorial of ${honoureeFullName} with them, as a ${keeperMessages.roles[invite.role].toLowerCase()}.`,
        keeperMessages.may[invite.role],
      ],
      button: { label: 'See the invitation', url },
      notes: [
        'The link works once, for seven days. You sign in, or make an account, on the way.',
        'If you don’t know who this is, you can ignore this email.',
      ],
    })
  },
}
