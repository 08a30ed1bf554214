import { and, count, eq, gt, lte } from 'drizzle-orm'
import { fillPath } from '#shared/fill-path.ts'
import { formatLifeDates } from '#shared/memorials/life-dates.ts'
import { paths } from '#shared/pages/pages.ts'
import { isShown, type ItemTable } from '#worker/access/held.ts'
import { daysOn } from '#worker/features/followers/followers.jobs.ts'
import { findReader, followerToken } from '#worker/features/followers/followers.ts'
import { dayIn } from '#worker/features/followers/mornings.ts'
import { followConfirmMail, followDayMail, followDigestMail } from '#worker/features/mail/follower-mails.ts'
import type { RenderedMail } from '#worker/features/mail/render-mail.ts'
import { unsubscribeHeaders } from '#worker/features/mail/unsubscribe.ts'
import { publicLink } from '#worker/features/memorials/slug.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { link } from '#worker/platform/links.ts'
import { comments } from '#worker/schema/comments.table.ts'
import type { mails } from '#worker/schema/mail.table.ts'
import { media } from '#worker/schema/media.table.ts'

type MailRow = typeof mails.$inferSelect
type Reader = NonNullable<Awaited<ReturnType<typeof findReader>>>
type Composed = RenderedMail & { headers?: Record<string, string> }

/** Mails to people who follow a memorial; null for whoever may not see it any more, and where there is nothing to say by now. */
export const followerMails = {
  async 'follow-confirm'(ctx: Ctx, { subjectId, recipient }: MailRow): Promise<Composed | null> {
    const found = await findReader(ctx, subjectId, recipient)
    if (!found || found.follower.confirmedAt !== null) return null
    const token = followerToken(ctx, 'follow', subjectId, recipient)
    const url = link(ctx, fillPath(paths.confirmFollow, { token }))
    return followConfirmMail({ name: found.memorial.honoureeFullName, url })
  },

  async 'follow-digest'(ctx: Ctx, { subjectId, recipient }: MailRow): Promise<Composed | null> {
    const found = await findReader(ctx, subjectId, recipient)
    const added = found && (await countAdded(ctx, found))
    if (!added || added.length === 0) return null
    const letter = letterTo(ctx, found)
    return { ...followDigestMail({ ...letter, added }), headers: unsubscribeHeaders(letter.endUrl) }
  },

  async 'follow-day'(ctx: Ctx, { subjectId, recipient, createdAt }: MailRow): Promise<Composed | null> {
    const found = await findReader(ctx, subjectId, recipient)
    if (!found) return null
    const days = daysOn(dayIn(found.timeZone, createdAt), found.follower, found.memorial)
    // The date was changed meanwhile.
    if (!days.isBirthday && !days.isPassing) return null
    const letter = letterTo(ctx, found)
    const dates = formatLifeDates(found.memorial) ?? ''
    return { ...followDayMail({ ...letter, ...days, dates }), headers: unsubscribeHeaders(letter.endUrl) }
  },
}

function letterTo(ctx: Ctx, { follower, memorial }: Reader) {
  const token = followerToken(ctx, 'unfollow', follower.id, follower.email)
  const isPublic = memorial.privacy === 'LOCKED'
  return {
    name: memorial.honoureeFullName,
    url: isPublic ? publicLink(ctx, memorial) : link(ctx, fillPath(paths.memorial, { id: memorial.id })),
    endUrl: link(ctx, fillPath(paths.unfollow, { token })),
    isPublic,
  }
}

const NAMES = {
  IMAGE: ['photo', 'photos'],
  VIDEO: ['video', 'videos'],
  AUDIO: ['recording', 'recordings'],
  MESSAGE: ['message', 'messages'],
} as const

/** Lines as "3 photos": what was added in the time that this mail tells of, and everybody who may see the memorial sees. */
async function countAdded({ db }: Ctx, { follower, memorial }: Reader): Promise<string[]> {
  const { toldSince, newsSince } = follower
  const isAdded = (table: ItemTable) =>
    and(
      eq(table.memorialId, memorial.id),
      gt(table.createdAt, toldSince),
      lte(table.createdAt, newsSince),
      /* prove: digest-counts-shown */ isShown(table),
    )
  const [files, [texts]] = await db.batch([
    db.select({ kind: media.type, amount: count() }).from(media).where(isAdded(media)).groupBy(media.type),
    db.select({ amount: count() }).from(comments).where(isAdded(comments)),
  ])
  const counts = { IMAGE: 0, VIDEO: 0, AUDIO: 0, MESSAGE: texts?.amount ?? 0 }
  for (const { kind, amount } of files) counts[kind] = amount
  return (['IMAGE', 'VIDEO', 'AUDIO', 'MESSAGE'] as const).flatMap((kind) => {
    const [one, many] = NAMES[kind]
    const amount = counts[kind]
    return amount === 0 ? [] : [`${amount} ${amount === 1 ? one : many}`]
  })
}
