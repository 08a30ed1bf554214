import { and, eq } from 'drizzle-orm'
import { DELETED_RESTORABLE_MS, HOUR_MS, MINUTE_MS } from '#shared/limits.ts'
import { fillPath } from '#shared/fill-path.ts'
import { paths, QUEUE } from '#shared/pages/pages.ts'
import { WORDS_KEY } from '#shared/pages/plain-forms.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { resetLinkFor } from '#worker/features/accounts/account-tokens.ts'
import { isMailboxFull } from '#worker/features/mail/mailbox-limits.ts'
import { codeFor } from '#worker/features/recovery/recovery.ts'
import { verificationLinkFor } from '#worker/features/accounts/registrations.ts'
import { countWaiting } from '#worker/features/memorials/tell-owner.ts'
import { unsubscribeHeaders, unsubscribeToken } from '#worker/features/mail/unsubscribe.ts'
import { wordsLinkFor } from '#worker/features/visitors/words-link.ts'
import { users, isRecoverable } from '#worker/schema/accounts.table.ts'
import { contactMessages, type mails } from '#worker/schema/mail.table.ts'
import { emailChangeMails } from '#worker/features/mail/compose-email-changes.ts'
import { paymentMails } from '#worker/features/mail/compose-payments.ts'
import { followerMails } from '#worker/features/mail/compose-followers.ts'
import { keeperMails } from '#worker/features/mail/compose-keepers.ts'
import { successorMails } from '#worker/features/mail/compose-successors.ts'
import { letInMails } from '#worker/features/mail/compose-let-in.ts'
import { passkeyMails } from '#worker/features/mail/compose-passkeys.ts'
import { replyMails } from '#worker/features/mail/compose-replies.ts'
import { link, linkThroughLogin } from '#worker/platform/links.ts'
import * as templates from '#worker/features/mail/mail-templates.ts'
import type { RenderedMail } from '#worker/features/mail/render-mail.ts'
import { countRows } from '#worker/platform/db.ts'
import { removedOnColumn } from '#worker/features/memorials/drafts.ts'
import type { MailKind, OutgoingMail } from '#worker/platform/providers/mail.ts'
import { isNotDeleted, memorials } from '#worker/schema/memorials.table.ts'

type MailRow = typeof mails.$inferSelect
type Composed = RenderedMail & Pick<OutgoingMail, 'replyTo' | 'headers' | 'attachments'>

type Composer = (ctx: Ctx, mail: MailRow) => Promise<Composed | null>

/** Null when it is no longer needed. A retry sends the same link, while that lives. */
export async function composeMail(ctx: Ctx, mail: MailRow): Promise<Composed | null> {
  return composers[mail.kind](ctx, mail)
}

const composers: Record<MailKind, Composer> = {
  async verify(ctx, mail) {
    const found = await verificationLinkFor(ctx, mail.id)
    if (!found) return null
    const hours = Math.round((found.expiresAt - ctx.now()) / HOUR_MS)
    const url = link(ctx, `/verify-email/${found.token}`)
    return templates.verifyMail({ url, createdAt: found.createdAt, hours })
  },

  async reset(ctx, mail) {
    if (!(await findUser(ctx, mail.subjectId))) return null
    const found = await resetLinkFor(ctx, mail)
    if (!found) return null
    const minutes = Math.max(1, Math.round((found.expiresAt - ctx.now()) / MINUTE_MS))
    return templates.resetMail({ url: link(ctx, `/reset-password/${found.token}`), minutes })
  },

  async 'already-registered'(ctx, mail) {
    // Never out of the budget of resets.
    if (await isMailboxFull(ctx, mail, 'alreadyRegisteredMails')) return null
    return templates.alreadyRegisteredMail({
      loginUrl: link(ctx, '/login'),
      forgotUrl: link(ctx, '/forgot-password'),
    })
  },

  async 'password-changed'(ctx, mail) {
    return templates.passwordChangedMail({
      changedAt: mail.createdAt,
      forgotUrl: link(ctx, '/forgot-password'),
      supportEmail: ctx.env.SUPPORT_EMAIL,
    })
  },

  ...emailChangeMails,
  ...paymentMails,
  ...replyMails,
  ...keeperMails,
  ...successorMails,
  ...letInMails,
  ...passkeyMails,
  ...followerMails,

  async contact(ctx, mail) {
    const [row] = await ctx.db.select().from(contactMessages).where(eq(contactMessages.id, mail.subjectId))
    if (!row) return null
    const { id, email, subject, message } = row
    return { ...templates.contactMail({ messageId: id, email, subject, message }), replyTo: email }
  },

  async 'memorial-deleted'(ctx, mail) {
    const memorial = await findMemorial(ctx, mail.subjectId)
    if (!memorial) return null
    return templates.memorialDeletedMail({
      name: memorial.name,
      restorableUntil: mail.createdAt + DELETED_RESTORABLE_MS,
      dashboardUrl: link(ctx, '/dashboard'),
      supportEmail: ctx.env.SUPPORT_EMAIL,
    })
  },

  async 'memorial-removed'(ctx, mail) {
    const memorial = await findMemorial(ctx, mail.subjectId)
    // An admin has restored it meanwhile.
    if (memorial?.status !== 'REMOVED') return null
    return templates.memorialRemovedMail({
      name: memorial.name,
      reason: memorial.removalNote,
      contactUrl: link(ctx, '/contact'),
      supportEmail: ctx.env.SUPPORT_EMAIL,
    })
  },

  async 'memorial-restored'(ctx, mail) {
    const memorial = await findMemorial(ctx, mail.subjectId)
    // Removed again, or deleted by its owner, meanwhile.
    if (memorial?.status !== 'ACTIVE' && memorial?.status !== 'DRAFT') return null
    return templates.memorialRestoredMail({
      name: memorial.name,
      dashboardUrl: link(ctx, '/dashboard'),
      supportEmail: ctx.env.SUPPORT_EMAIL,
    })
  },

  async 'draft-ending'(ctx, mail) {
    const [draft] = await ctx.db
      .select({
        name: memorials.honoureeFullName,
        ownerId: memorials.ownerId,
        tellOwner: memorials.tellOwner,
        removedOn: removedOnColumn(),
      })
      .from(memorials)
      .where(eq(memorials.id, mail.subjectId))
    // Its owner has used or paid for it meanwhile, or unsubscribed.
    if (!draft?.removedOn || draft.tellOwner === 'NEVER') return null
    return {
      ...templates.draftEndingMail({
        name: draft.name,
        removedOn: draft.removedOn,
        memorialUrl: link(ctx, `/memorial/${mail.subjectId}`),
      }),
      headers: unsubscribeHeaders(unsubscribeUrl(ctx, mail.subjectId, draft.ownerId)),
    }
  },

  async 'draft-removed'(ctx, mail) {
    const memorial = await findMemorial(ctx, mail.subjectId)
    if (!memorial || memorial.tellOwner === 'NEVER') return null
    return {
      ...templates.draftRemovedMail({
        name: memorial.name,
        restorableUntil: mail.createdAt + DELETED_RESTORABLE_MS,
        dashboardUrl: link(ctx, '/dashboard'),
        supportEmail: ctx.env.SUPPORT_EMAIL,
      }),
      headers: unsubscribeHeaders(unsubscribeUrl(ctx, mail.subjectId, memorial.ownerId)),
    }
  },

  async 'account-deleted'(ctx, mail) {
    const [user] = await ctx.db
      .select({ deletedAt: users.deletedAt })
      .from(users)
      .where(eq(users.id, mail.subjectId))
    if (!user?.deletedAt) return null
    const isDeleted = and(eq(memorials.ownerId, mail.subjectId), eq(memorials.deletedAt, user.deletedAt))
    const [deleted] = await countRows(ctx.db, memorials, isDeleted)
    return templates.accountDeletedMail({
      memorials: deleted?.amount ?? 0,
      restorableUntil: user.deletedAt + DELETED_RESTORABLE_MS,
      loginUrl: link(ctx, '/login'),
      supportEmail: ctx.env.SUPPORT_EMAIL,
    })
  },

  async waiting(ctx, mail) {
    const { honoureeFullName: name, ownerId, tellOwner } = memorials
    const [memorial] = await ctx.db
      .select({ name, ownerId, tellOwner })
      .from(memorials)
      .where(and(eq(memorials.id, mail.subjectId), isNotDeleted()))
    // Unsubscribed meanwhile.
    if (!memorial || memorial.tellOwner === 'NEVER') return null
    const waiting = await countWaiting(ctx, mail.subjectId)
    const total = waiting.IMAGE + waiting.VIDEO + waiting.AUDIO + waiting.comments
    // Decided meanwhile, or taken back.
    if (total + waiting.asking === 0) return null
    const queue = fillPath(paths.memorial, { id: mail.subjectId }) + QUEUE
    const url = unsubscribeUrl(ctx, mail.subjectId, memorial.ownerId)
    return {
      ...templates.waitingMail({
        name: memorial.name,
        waiting,
        total,
        queueUrl: linkThroughLogin(ctx, queue),
        unsubscribeUrl: url,
      }),
      headers: unsubscribeHeaders(url),
    }
  },

  async 'visitor-words'(ctx, mail) {
    if (await isMailboxFull(ctx, mail, 'visitorWordsMails')) return null
    const found = await wordsLinkFor(ctx, mail.subjectId)
    if (!found) return null
    const address = fillPath(paths.visitorWords, { slug: found.slug })
    return templates.visitorWordsMail({ url: link(ctx, `${address}?${WORDS_KEY}=${found.token}`) })
  },

  async 'contributor-code'(ctx, mail) {
    const found = await codeFor(ctx, mail.id)
    if (!found) return null
    const minutes = Math.max(1, Math.round((found.expiresAt - ctx.now()) / MINUTE_MS))
    return templates.contributorCodeMail({ code: found.code, minutes })
  },
}

/** Where its owner ends the mails about a memorial that they haven't asked for. */
function unsubscribeUrl(ctx: Ctx, memorialId: string, ownerId: string): string {
  return link(ctx, fillPath(paths.unsubscribe, { token: unsubscribeToken(ctx, memorialId, ownerId) }))
}

async function findMemorial(ctx: Ctx, id: string) {
  const { honoureeFullName: name, status, removalNote, ownerId, tellOwner } = memorials
  const [memorial] = await ctx.db
    .select({ name, status, removalNote, ownerId, tellOwner })
    .from(memorials)
    .where(eq(memorials.id, id))
  return memorial ?? null
}

async function findUser(ctx: Ctx, id: string) {
  const [user] = await ctx.db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, id), isRecoverable(ctx.now())))
  return user ?? null
}
