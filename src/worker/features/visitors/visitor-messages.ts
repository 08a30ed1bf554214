import { and, desc, eq, isNotNull, sql, type SQL } from 'drizzle-orm'
import type { Comment, VisitorMessageInput, VisitorWords } from '#shared/comments/comments.ts'
import { MINUTE_MS, VISITOR_WORDS_LISTED } from '#shared/limits.ts'
import { throwIfRefused } from '#worker/access/access.ts'
import { holdNew, isHeldFromVisitors } from '#worker/access/held.ts'
import {
  accessOf,
  refusalAtWrite,
  takesVisitorMessages,
  visitorsLink,
  type MemorialAccess,
} from '#worker/access/memorial-access.ts'
import { selectComments, toComment } from '#worker/features/comments/comments.ts'
import { storeComment } from '#worker/features/comments/post-comment.ts'
import { keepAddress, mailWordsLink } from '#worker/features/visitors/words-link.ts'
import { limitVisitor } from '#worker/features/visitors/visitor-limits.ts'
import {
  insertVisitor,
  isSameVisitor,
  nameGuest,
  newVisitor,
  sessionToken,
  storeToken,
} from '#worker/features/visitors/visitor-sessions.ts'
import { unknownBrowser } from '#worker/access/pepper.ts'
import { judgeVisitor } from '#worker/features/rules/word-rules.ts'
import { findCreatedId } from '#worker/http/idempotency-key.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { existsIn } from '#worker/platform/db.ts'
import { enqueueMail } from '#worker/platform/providers/mail.ts'
import { hashToken, newToken, uuidOf } from '#worker/platform/random.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { contributors } from '#worker/schema/invites.table.ts'

/** `authToken`: of the session that the sender's browser gets now; null if it keeps the one it has. `isLinkMailed`: a mail with a link was asked for. */
export type LeftMessage = { comment: Comment; authToken: string | null; isLinkMailed: boolean }

/** An unknown browser that sends the same words within this time has lost the answer. */
const SENT_AGAIN_MS = 10 * MINUTE_MS
/** The same within this time is one impatient person: their browser may take either answer, so both have the same session. */
const PRESSED_TWICE_MS = MINUTE_MS / 2
/** So often somebody can leave the same words again after taking them back. */
const SAME_WORDS_MAX = 20

/**
 * Stores a message that somebody leaves on the public page. Their browser gets a session, unless it has one of the same visitor, by which they
 * see their words and take them back. A repeated `key` of the same browser stores nothing, unless what it stored was taken back. Throws `memorial_locked`
 * where visitors can't leave words.
 */
export async function leaveMessage(
  ctx: RequestCtx,
  access: MemorialAccess,
  input: VisitorMessageInput,
  givenKey: string | null,
): Promise<LeftMessage> {
  const { memorial, contributor: own } = access
  const before = await findLeft(ctx, access, givenKey)
  if (before.left) return before.left
  const { key } = before
  throwIfRefused(access.refuse('leaveMessage'))
  const isBurst = await limitVisitor(ctx, access, key)
  const written = { name: input.name, relation: input.relation, body: input.body }
  const { reason, wordsHash } = await judgeVisitor(ctx, memorial.id, written)
  const known = own && (await isSameVisitor(ctx, own, input.email)) ? own : null
  const sender = known ? await nameGuest(ctx, known, input.name) : newVisitor(memorial.id, input.name)
  const isOpen = takesVisitorMessages(access)
  const authToken = known ? null : await insertVisitor(ctx, sender, own, isOpen)

  let mailId: string | null = null
  const keepAndMail = (address: string) => (isStored: SQL) => {
    const keep = keepAddress(ctx, sender.id, address, isStored)
    // A flood mails nobody: `proveMessage` does, once the browser has done its work.
    if (isBurst) return [keep]
    const { id, statement } = mailWordsLink(ctx, sender.id, address, isStored)
    mailId = id
    return [statement, keep]
  }
  const comment = await storeComment(
    ctx,
    accessOf(memorial, { user: ctx.user, contributor: sender, hasInvite: false }),
    {
      body: input.body,
      authorContributorId: sender.id,
      visitorName: input.name,
      visitorRelation: input.relation || null,
      wordsHash,
    },
    {
      // Once the browser has its cookie, it is known by that.
      actorIds: [own?.id ?? unknownBrowser(ctx, memorial.id), ...(known ? [] : [sender.id])],
      key,
      isAccepted: sql`${isOpen} and ${existsIn(contributors, eq(contributors.id, sender.id))}`,
      hold: holdNew(memorial.id, sender.id, {
        reason: reason ?? (isBurst ? 'BURST' : null),
        waits: isHeldFromVisitors(memorial.id),
      }),
      // Whoever came by an invitation has a session of that, which no mailed link may outlast.
      ...(input.email && sender.isVisitor && { also: keepAndMail(input.email) }),
    },
  )
  if (comment) {
    if (authToken !== null) await storeToken(ctx, authToken, sender.id)
    if (mailId !== null) await enqueueMail(ctx, mailId)
    return { comment, authToken, isLinkMailed: mailId !== null }
  }
  if (!known) await ctx.db.delete(contributors).where(eq(contributors.id, sender.id))
  const concurrent = await findLeft(ctx, access, key)
  if (concurrent.left) return concurrent.left
  throw await refusalAtWrite(ctx, access, 'leaveMessage')
}

/** The messages that this browser has left here and not taken back, newest first, and the memorial. */
export async function listOwnWords(ctx: RequestCtx, access: MemorialAccess): Promise<VisitorWords> {
  const { contributor, memorial } = access
  const { id, slug, honoureeFullName, visitorMessages } = memorial
  const about = { id, slug, honoureeFullName, visitorMessages }
  if (!contributor) return { memorial: about, comments: [], unproven: [] }
  const rows = await selectComments(ctx, contributor.id)
    .where(
      and(
        /* prove: own-words-only */ eq(comments.authorContributorId, contributor.id),
        // The plus keeps SQLite from reading the whole guestbook in its order.
        sql`+${comments.memorialId} = ${memorial.id}`,
        isNotNull(comments.visitorName),
      ),
    )
    .orderBy(desc(comments.createdAt), desc(comments.id))
    .limit(VISITOR_WORDS_LISTED)
  return {
    memorial: about,
    comments: rows.map((row) => toComment(row, access)),
    unproven: rows
      .filter(({ comment }) => comment.heldAs === 'MAY_HURT' && comment.heldReason === 'BURST')
      .map(({ comment }) => comment.id),
  }
}

/**
 * What this browser has left with `key`, or null and the key to use now: another if that message was taken back. A browser without a cookie
 * that sends the same words, under the same name, from the same network, and says the same of itself, within minutes, has lost the
 * answer: it gets a session if that message is all that the one before was for.
 */
async function findLeft(
  ctx: RequestCtx,
  access: MemorialAccess,
  givenKey: string | null,
): Promise<{ left: LeftMessage | null; key: string | null }> {
  const { memorial, contributor: own } = access
  let key = givenKey
  for (let tries = 0; tries < SAME_WORDS_MAX && key !== null; tries++) {
    const id = await findCreatedId(ctx, own?.id ?? unknownBrowser(ctx, memorial.id), key)
    if (id === null) break
    const [row] = await selectComments(ctx, own?.id ?? null).where(
      and(eq(comments.id, id), eq(comments.memorialId, memorial.id)),
    )
    if (row && row.comment.authorContributorId === own?.id)
      return { left: { comment: toComment(row, access), authToken: null, isLinkMailed: false }, key }
    const left = row && (await findAgain(ctx, access, row))
    if (left) return { left, key }
    key = uuidOf(`${key} ${id}`)
  }
  return { left: null, key }
}

type CommentRow = Parameters<typeof toComment>[0]

async function findAgain(
  ctx: RequestCtx,
  access: MemorialAccess,
  row: CommentRow,
): Promise<LeftMessage | null> {
  const { memorial } = access
  const { authorContributorId, createdAt } = row.comment
  const age = ctx.now() - createdAt
  if (!authorContributorId || age >= SENT_AGAIN_MS) return null
  // After that, the sender may be somebody else, who must not share the first sender's session.
  const authToken = age < PRESSED_TWICE_MS ? sessionToken(ctx, authorContributorId) : newToken()
  const [visitor] = await ctx.db
    .update(contributors)
    .set({ tokenHash: hashToken(authToken) })
    .where(
      and(
        eq(contributors.id, authorContributorId),
        // prove: visitors-adopt-no-invitation
        eq(contributors.inviteToken, visitorsLink(memorial.id)),
        eq(ctx.db.$count(comments, eq(comments.authorContributorId, contributors.id)), 1),
      ),
    )
    .returning({ id: contributors.id, displayName: contributors.displayName })
  if (!visitor) return null
  await storeToken(ctx, authToken, visitor.id)
  const contributor = { ...newVisitor(memorial.id, visitor.displayName), id: visitor.id }
  return {
    comment: toComment(row, accessOf(memorial, { user: ctx.user, contributor, hasInvite: false })),
    authToken,
    isLinkMailed: false,
  }
}
