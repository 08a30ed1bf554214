import { and, eq, gt, or } from 'drizzle-orm'
import { fillPath } from '#shared/fill-path.ts'
import { nameOf } from '#shared/funeral/gatherings.ts'
import { paths } from '#shared/pages/pages.ts'
import { linkToken } from '#worker/access/pepper.ts'
import { funeralCalendar } from '#worker/features/funeral/funeral-calendar.ts'
import { factsOf, isVisible } from '#worker/features/funeral/funeral.ts'
import { isMailboxFull } from '#worker/features/mail/mailbox-limits.ts'
import { link } from '#worker/platform/links.ts'
import { gatheringChangedMail, replyMail } from '#worker/features/mail/reply-mails.ts'
import type { RenderedMail } from '#worker/features/mail/render-mail.ts'
import { publicLink } from '#worker/features/memorials/slug.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { countRows } from '#worker/platform/db.ts'
import type { Attachment } from '#worker/platform/providers/mail.ts'
import { funeralEvents, replies } from '#worker/schema/funeral.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

type MailRow = typeof mails.$inferSelect
type Composed = RenderedMail & { attachments: Attachment[] }

/** Mails about a reply; null when it is gone, or has another address by now. */
export const replyMails = {
  async reply(ctx: Ctx, mail: MailRow): Promise<Composed | null> {
    if (await isMailboxFull(ctx, mail, 'replyMails')) return null
    const found = await findReply(ctx, mail)
    if (!found || found.url === null) return null
    const { name, title, facts, url, isSorry, attachments } = found
    return { ...replyMail({ name, title, facts, url, isSorry }), attachments: isSorry ? [] : attachments }
  },

  async 'gathering-changed'(ctx: Ctx, mail: MailRow): Promise<Composed | null> {
    const found = await findReply(ctx, mail)
    // A newer mail tells what this one would, and more.
    if (!found?.before || (await isReplaced(ctx, mail))) return null
    const { name, title, before, facts, url, attachments } = found
    // It was changed back before this was sent.
    if (JSON.stringify(before) === JSON.stringify(facts)) return null
    return { ...gatheringChangedMail({ name, title, before, facts, url }), attachments }
  },
}

async function findReply(ctx: Ctx, { subjectId, recipient }: MailRow) {
  const { id: memorialId, slug, honoureeFullName, privacy } = memorials
  const [found] = await ctx.db
    .select({
      reply: replies,
      event: funeralEvents,
      memorial: { id: memorialId, slug, honoureeFullName, privacy },
    })
    .from(replies)
    .innerJoin(funeralEvents, eq(funeralEvents.id, replies.eventId))
    .innerJoin(memorials, eq(memorials.id, funeralEvents.memorialId))
    .where(
      and(
        eq(replies.id, subjectId),
        /* prove: reply-mail-to-its-address */ eq(replies.email, recipient),
        eq(memorials.status, 'ACTIVE'),
      ),
    )
  // prove: reply-mails-to-invited
  if (!found || !isVisible(found.event, found.reply)) return null
  const { reply, event, memorial } = found
  const token = `${reply.id}.${linkToken(ctx, 'reply', reply.id, recipient)}`
  return {
    name: memorial.honoureeFullName,
    title: nameOf(event),
    before: reply.knewBefore,
    facts: factsOf(event),
    isSorry: reply.answer === 'SORRY',
    url: memorial.privacy === 'PRIVATE' ? null : link(ctx, fillPath(paths.reply, { token })),
    attachments: [calendarOf(ctx, memorial, event)],
  }
}

async function isReplaced(ctx: Ctx, { id, kind, subjectId, createdAt }: MailRow): Promise<boolean> {
  const isNewer = or(gt(mails.createdAt, createdAt), and(eq(mails.createdAt, createdAt), gt(mails.id, id)))
  const [newer] = await countRows(
    ctx.db,
    mails,
    and(eq(mails.subjectId, subjectId), eq(mails.kind, kind), isNewer),
  )
  return (newer?.amount ?? 0) > 0
}

function calendarOf(
  ctx: Ctx,
  memorial: Pick<typeof memorials.$inferSelect, 'slug' | 'honoureeFullName' | 'privacy'>,
  event: typeof funeralEvents.$inferSelect,
): Attachment {
  const content = funeralCalendar({
    honoureeFullName: memorial.honoureeFullName,
    memorialUrl: publicLink(ctx, memorial),
    isPublic: memorial.privacy === 'LOCKED',
    services: [event],
    // Its sender may not be among those whom the family invites now.
    sight: { canEdit: false, isInvited: false },
    isFeed: false,
    // The family may show the grave to fewer people.
    location: null,
  })
  return { filename: 'gathering.ics', type: 'text/calendar', content }
}
