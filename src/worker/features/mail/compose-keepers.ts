import { and, eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { fillPath } from '#shared/fill-path.ts'
import { handoverMessages } from '#shared/keepers/handover-messages.ts'
import { keeperMessages } from '#shared/keepers/keeper-messages.ts'
import { paths } from '#shared/pages/pages.ts'
import { fullName, keeperInviteToken, selectLiveInvite } from '#worker/features/keepers/keeper-invites.ts'
import { link, linkThroughLogin } from '#worker/platform/links.ts'
import { dateTime, renderMail, type RenderedMail } from '#worker/features/mail/render-mail.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { handovers, keeperInvites } from '#worker/schema/keepers.table.ts'
import { isNotDeleted, memorials } from '#worker/schema/memorials.table.ts'
import type { mails } from '#worker/schema/mail.table.ts'

type MailRow = typeof mails.$inferSelect

/** Mails to people whom an owner asks to look after a memorial with them, or to whom it is handed over; null once that has ended. */
export const keeperMails = {
  async 'keeper-invite'(ctx: Ctx, { subjectId }: MailRow): Promise<RenderedMail | null> {
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

  async 'handover-offer'(ctx: Ctx, { subjectId }: MailRow): Promise<RenderedMail | null> {
    const found = await findHandover(ctx, subjectId)
    // Accepted, declined or withdrawn meanwhile.
    if (found?.handover.acceptedAt !== null) return null
    const { memorial, from, url } = found
    return renderMail({
      subject: 'Will you take over a memorial?',
      paragraphs: [
        `${from} would like to hand the memorial of ${memorial} over to you.`,
        handoverMessages.takeOverText(from),
      ],
      button: { label: 'Open the memorial', url },
      notes: [`${WHERE} You can accept until ${dateTime(found.handover.expiresAt)}.`],
    })
  },

  async 'handover-accepted'(ctx: Ctx, { subjectId }: MailRow): Promise<RenderedMail | null> {
    const found = await findHandover(ctx, subjectId)
    if (!found?.handover.takeBackUntil) return null
    const { memorial, from, url } = found
    const until = dateTime(found.handover.takeBackUntil)
    return renderMail({
      subject: 'The memorial is yours now',
      paragraphs: [
        `You’ve taken over the memorial of ${memorial}. You say who looks after it, and only you can delete it.`,
        `${from} stays as a keeper, and can take it back until ${until}. Until then nothing can be deleted for good.`,
      ],
      button: { label: 'Open the memorial', url },
    })
  },

  async 'handed-over'(ctx: Ctx, { subjectId }: MailRow): Promise<RenderedMail | null> {
    const found = await findHandover(ctx, subjectId)
    if (!found?.handover.takeBackUntil) return null
    const { memorial, to, url } = found
    const until = dateTime(found.handover.takeBackUntil)
    return renderMail({
      subject: 'You’ve handed over a memorial',
      paragraphs: [
        `${to} has accepted: the memorial of ${memorial} is theirs now. You’re a keeper of it.`,
        `You can take it back until ${until}: open the memorial, then “${keeperMessages.title}”, and press “${handoverMessages.takeBack}”.`,
      ],
      button: { label: 'Open the memorial', url },
      notes: [
        `If you didn’t do this, take it back, then change your password. Write to ${ctx.env.SUPPORT_EMAIL} if you can’t.`,
      ],
    })
  },

  async 'handover-at-leaving'(ctx: Ctx, { subjectId }: MailRow): Promise<RenderedMail | null> {
    const found = await findHandover(ctx, subjectId)
    if (!found?.handover.acceptedAt) return null
    const { memorial, from, url } = found
    return renderMail({
      subject: 'A memorial is yours now',
      paragraphs: [
        `${from} has deleted their account, and left the memorial of ${memorial} to you. Everything in it stays.`,
        'You say who looks after it now, and only you can delete it. You can also hand it over to another keeper.',
      ],
      button: { label: 'Open the memorial', url },
    })
  },

  async 'handover-taken-back'(ctx: Ctx, { subjectId }: MailRow): Promise<RenderedMail | null> {
    const found = await findHandover(ctx, subjectId)
    if (!found?.handover.takenBackAt) return null
    const { memorial, from, to, url } = found
    return renderMail({
      subject: 'A memorial was taken back',
      paragraphs: [
        `${from} has taken the memorial of ${memorial} back, and owns it again. ${to} looks after it as a keeper, as before.`,
      ],
      button: { label: 'Open the memorial', url },
    })
  },
}

const WHERE = `Open it, then “${keeperMessages.title}”.`

/** A handing over with the names in it; null once the memorial is gone. */
async function findHandover(ctx: Ctx, id: string) {
  const to = alias(users, 'to_user')
  const [found] = await ctx.db
    .select({
      handover: handovers,
      memorial: memorials.honoureeFullName,
      from: fullName(),
      to: sql<string>`trim(${to.firstName} || ' ' || ${to.lastName})`,
    })
    .from(handovers)
    .innerJoin(memorials, eq(memorials.id, handovers.memorialId))
    .innerJoin(users, eq(users.id, handovers.fromUserId))
    .innerJoin(to, eq(to.id, handovers.toUserId))
    .where(and(eq(handovers.id, id), isNotDeleted()))
  if (!found) return null
  return { ...found, url: linkThroughLogin(ctx, fillPath(paths.memorial, { id: found.handover.memorialId })) }
}
