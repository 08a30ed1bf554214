import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { CLAIM_UNDONE_MS, DAY_MS } from '#shared/limits.ts'
import { fillPath } from '#shared/fill-path.ts'
import { paths } from '#shared/pages/pages.ts'
import { fullName } from '#worker/features/keepers/keeper-invites.ts'
import { dateTime, renderMail, type RenderedMail } from '#worker/features/mail/render-mail.ts'
import { stillHereToken } from '#worker/features/successors/still-here.ts'
import { isBack, opensAt } from '#worker/features/successors/succession-state.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { link, linkThroughLogin } from '#worker/platform/links.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { handovers } from '#worker/schema/keepers.table.ts'
import type { mails } from '#worker/schema/mail.table.ts'
import { isNotDeleted, memorials } from '#worker/schema/memorials.table.ts'
import { successions, successors } from '#worker/schema/successors.table.ts'

type MailRow = typeof mails.$inferSelect

const SUBJECTS = [
  'Are you still there?',
  'We ask once more: are you still there?',
  'We ask for the last time: are you still there?',
]

/** Mails about people who may ask for a memorial after its owner; null once there is nothing to say. */
export const successorMails = {
  async 'successor-named'(ctx: Ctx, mail: MailRow): Promise<RenderedMail | null> {
    const found = await findSuccession(ctx, mail.subjectId)
    if (!found?.people.some(({ email }) => email === mail.recipient)) return null
    const { name, ownerName } = found
    return renderMail({
      subject: 'You were named for a memorial',
      paragraphs: [
        `${ownerName} looks after the memorial of ${name}, and named you as somebody who may take it over when they can’t look after it any more.`,
        'There’s nothing to do now. If that day comes, you can ask for the memorial on this page. Please keep this email.',
      ],
      button: { label: 'See the page', url: successorUrl(ctx, mail) },
      notes: [
        'Only somebody who signs in with this email address can ask there.',
        'If you don’t know who this is, you can ignore this email. We won’t use your address for anything else.',
      ],
    })
  },

  async 'still-there'(ctx: Ctx, mail: MailRow): Promise<RenderedMail | null> {
    const found = await findSuccession(ctx, mail.subjectId)
    if (!found || found.isBack || found.askingSince === null) return null
    const { name, people, askedBy, afterMonths, mailsSent } = found
    const asker = people.find(({ id }) => id === askedBy)
    const named = people.map((one) => one.name).join(' or ')
    const token = stillHereToken(ctx, { ...found, askingSince: found.askingSince })
    return renderMail({
      subject: SUBJECTS[mailsSent - 1] ?? SUBJECTS[0]!,
      paragraphs: [
        asker
          ? `You look after the memorial of ${name}. ${asker.name}, whom you named for it, has asked to take it over, because they believe that you can’t look after it any more.`
          : `You look after the memorial of ${name}, and we haven’t seen you for ${afterMonths} months.`,
        'If you’re there, press the button below, or sign in. That’s enough, and nothing changes.',
        `If we don’t hear from you, ${named} can take over the memorial after ${dateTime(opensAt(found))}, as you wished. Everything in it stays.`,
      ],
      button: { label: 'I’m still here', url: link(ctx, fillPath(paths.stillHere, { token })) },
      notes: [
        `If you come back later, you can take it back within ${CLAIM_UNDONE_MS / DAY_MS} days after that.`,
        'You named them under “If you can’t look after it any more” on the memorial’s page, and can change that there.',
      ],
    })
  },

  async 'successor-asked'(ctx: Ctx, mail: MailRow): Promise<RenderedMail | null> {
    const found = await findSuccession(ctx, mail.subjectId)
    const asker = found?.people.find(({ id }) => id === found.askedBy)
    if (!found || found.isBack || !asker) return null
    const { name, ownerName } = found
    return renderMail({
      subject: 'Someone has asked for a memorial that you look after',
      paragraphs: [
        `${asker.name} has asked to take over the memorial of ${name} from ${ownerName}, who named them for that.`,
        `We’ve written to ${ownerName}. If they answer, nothing changes. If we hear nothing for 30 days, ${asker.name} can become the owner. You look after the memorial as before.`,
      ],
      notes: [`If you know that something is wrong, please write to ${ctx.env.SUPPORT_EMAIL}.`],
    })
  },

  async 'memorial-open'(ctx: Ctx, mail: MailRow): Promise<RenderedMail | null> {
    const found = await findSuccession(ctx, mail.subjectId)
    if (!found || found.isBack || found.openSince === null) return null
    if (!found.people.some(({ email }) => email === mail.recipient)) return null
    const { name, ownerName, people } = found
    return renderMail({
      subject: 'You can take over a memorial',
      paragraphs: [
        `${ownerName} looked after the memorial of ${name}, and wished that you may take it over when they can’t any more. We’ve written to them three times, and heard nothing.`,
        'There’s no hurry, and you don’t have to. Everything stays as it is until somebody takes it over.',
        ...(people.length > 1
          ? ['They named two of you. Whoever takes it over first becomes its owner.']
          : []),
      ],
      button: { label: 'See the memorial', url: successorUrl(ctx, mail) },
      notes: [
        'You sign in, or make an account, on the way: with this email address.',
        `If ${ownerName} comes back within ${CLAIM_UNDONE_MS / DAY_MS} days after that, they can take it back.`,
      ],
    })
  },

  async 'memorial-claimed'(ctx: Ctx, mail: MailRow): Promise<RenderedMail | null> {
    const found = await findClaim(ctx, mail.subjectId)
    if (!found) return null
    const { name, formerName, newName } = found
    return renderMail({
      subject: 'A memorial that you look after has a new owner',
      paragraphs: [
        `${newName} has taken over the memorial of ${name}. ${formerName} named them for that, and didn’t answer when we asked three times.`,
        'You look after the memorial as before. Nothing in it has changed.',
      ],
      notes: [`If you know that something is wrong, please write to ${ctx.env.SUPPORT_EMAIL}.`],
    })
  },

  async 'memorial-taken-over'(ctx: Ctx, mail: MailRow): Promise<RenderedMail | null> {
    const found = await findClaim(ctx, mail.subjectId)
    if (!found || found.takeBackUntil === null) return null
    const { name, newName, takeBackUntil } = found
    return renderMail({
      subject: 'Your memorial has a new owner',
      paragraphs: [
        `We wrote to you three times and heard nothing, so ${newName}, whom you named, has taken over the memorial of ${name}. Everything in it is as it was, and you still look after it with them.`,
        `If you’re there, you can take it back until ${dateTime(takeBackUntil)}. Sign in, and you’ll find it among your memorials.`,
      ],
      button: { label: 'Sign in', url: linkThroughLogin(ctx, paths.dashboard) },
    })
  },
}

function successorUrl(ctx: Ctx, { subjectId }: MailRow): string {
  return link(ctx, fillPath(paths.successor, { id: subjectId }))
}

/** A succession that counts, with the people in it; null once the memorial is gone, or somebody else's. */
async function findSuccession(ctx: Ctx, memorialId: string) {
  const [[found], people] = await ctx.db.batch([
    ctx.db
      .select({
        memorialId: successions.memorialId,
        ownerId: memorials.ownerId,
        name: memorials.honoureeFullName,
        ownerName: fullName(),
        afterMonths: successions.afterMonths,
        askingSince: successions.askingSince,
        askedBy: successions.askedBy,
        mailsSent: successions.mailsSent,
        nextAt: successions.nextAt,
        openSince: successions.openSince,
        isBack: sql<boolean>`${isBack()}`.mapWith(Boolean),
      })
      .from(successions)
      .innerJoin(memorials, eq(memorials.id, successions.memorialId))
      .innerJoin(users, eq(users.id, memorials.ownerId))
      .where(and(eq(successions.memorialId, memorialId), isNotDeleted())),
    ctx.db
      .select()
      .from(successors)
      .where(eq(successors.memorialId, memorialId))
      .orderBy(asc(successors.createdAt), asc(successors.id)),
  ])
  return found ? { ...found, people } : null
}

/** The claim by which the memorial got its owner, with the names of both; null if it was taken back. */
async function findClaim(ctx: Ctx, memorialId: string) {
  const nameOf = (id: SQLiteColumn) =>
    sql<string>`(select ${fullName()} from ${users} where ${users.id} = ${id})`
  const [found] = await ctx.db
    .select({
      name: memorials.honoureeFullName,
      formerName: nameOf(handovers.fromUserId),
      newName: nameOf(handovers.toUserId),
      takeBackUntil: handovers.takeBackUntil,
    })
    .from(handovers)
    .innerJoin(
      memorials,
      and(eq(memorials.id, handovers.memorialId), eq(memorials.ownerId, handovers.toUserId)),
    )
    .where(
      and(
        eq(handovers.memorialId, memorialId),
        eq(handovers.isClaim, true),
        isNull(handovers.takenBackAt),
        isNotDeleted(),
      ),
    )
  return found ?? null
}
