import { and, desc, eq, gt, inArray, isNotNull, isNull, lt, ne, sql, type SQL } from 'drizzle-orm'
import { fieldError, AppError } from '#shared/errors.ts'
import {
  CODE_EXPIRES_MS,
  CODE_REQUEST_EXPIRES_MS,
  CODE_TRIES_MAX,
  CONTRIBUTOR_SESSION_EXPIRES_MS,
} from '#shared/limits.ts'
import { isOfFamily } from '#shared/memorials/memorials.ts'
import { recoveryMessages } from '#shared/invites/recovery-messages.ts'
import type { Recovered } from '#shared/invites/recovery.ts'
import {
  findLiveContributor,
  isOpenLink,
  setContributorCookie,
  storeContributorToken,
} from '#worker/access/contributor-sessions.ts'
import { networkOf } from '#worker/access/guards.ts'
import { limitWrongInvites, type MemorialAccess } from '#worker/access/memorial-access.ts'
import { codeHashes, mailedCode, networkHash } from '#worker/access/pepper.ts'
import { mailboxKey } from '#worker/platform/mailbox-key.ts'
import { readOwnSession, type LiveInvite } from '#worker/features/invites/invites.ts'
import { readCookies, readOwnCookie, setOwnCookie } from '#worker/http/cookies.ts'
import { afterAnswer, type Ctx, type RequestCtx } from '#worker/platform/ctx.ts'
import { existsIn } from '#worker/platform/db.ts'
import { enqueueMail, mailRow } from '#worker/platform/providers/mail.ts'
import { hashToken, newToken } from '#worker/platform/random.ts'
import { countRateLimit, requireRateLimit } from '#worker/platform/rate-limiter.ts'
import { contributorCodes, contributors, inviteTokens } from '#worker/schema/invites.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { isNotDeleted, memorials } from '#worker/schema/memorials.table.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

/** The token by which the browser that asked for a code is known. */
const cookieFor = (memorialId: string) => `code-${memorialId}`

/**
 * Mails a code to this address if a relative of this memorial has left it. Everything that depends on that happens after the answer, so that neither
 * words nor time tell. Throws `too_many_requests`, counting every address alike.
 */
export async function askForCode(
  ctx: RequestCtx,
  { memorial: { id } }: LiveInvite,
  email: string,
  headers: Headers,
): Promise<void> {
  const network = networkHash(ctx, networkOf(ctx.ip, 3))
  const { manyCodes } = recoveryMessages
  await requireRateLimit(ctx, 'codeRequests', `${id} ${network}`, manyCodes)
  await requireRateLimit(ctx, 'codeRequestsOfNetwork', network, manyCodes)
  await requireRateLimit(ctx, 'codeRequestsOfMemorial', id, manyCodes)
  const token = newToken()
  setOwnCookie(headers, ctx.request, cookieFor(id), token, CODE_REQUEST_EXPIRES_MS / 1000)
  afterAnswer(ctx, 'mail_code', () => mailCode(ctx, id, email, hashToken(token)))
}

async function mailCode(ctx: Ctx, memorialId: string, email: string, requestHash: string): Promise<void> {
  const [newest] = await selectPeople(ctx, memorialId, email).limit(1)
  if (!newest || (await isTooMuchMail(ctx, memorialId, email))) return
  const createdAt = ctx.now()
  const mail = mailRow(ctx, { kind: 'contributor-code', recipient: email, subjectId: newest.contributorId })
  await ctx.db.batch([
    ctx.db.insert(contributorCodes).values({
      requestHash,
      memorialId,
      email,
      mailId: mail.id,
      expiresAt: createdAt + CODE_REQUEST_EXPIRES_MS,
      createdAt,
    }),
    ctx.db.insert(mails).values(mail),
  ])
  await enqueueMail(ctx, mail.id)
}

/** Counts a code for this mailbox. A stranger must not use up at one memorial what bounds the guesses at another. */
async function isTooMuchMail(ctx: Ctx, memorialId: string, email: string): Promise<boolean> {
  const mailbox = mailboxKey(email)
  const here = `${memorialId} ${mailbox}`
  return (
    (await countRateLimit(ctx, 'codeMails', here)) > 0 ||
    (await countRateLimit(ctx, 'codeMailsADay', here)) > 0 ||
    (await countRateLimit(ctx, 'codeMailsToMailbox', mailbox)) > 0
  )
}

/** Query: the relatives of a memorial who left this address, whoever joined last first. */
function selectPeople({ db }: Ctx, memorialId: string, email: string | SQL) {
  return db
    .select({ contributorId: contributors.id, displayName: contributors.displayName })
    .from(contributors)
    .innerJoin(inviteTokens, eq(inviteTokens.token, contributors.inviteToken))
    .where(
      and(
        /* prove: code-people-of-memorial */ eq(contributors.memorialId, memorialId),
        eq(contributors.email, email),
        eq(contributors.isGuest, false),
        // Visitors of the public page have links of their own to what they wrote.
        /* prove: codes-not-for-visitors */ ne(inviteTokens.status, 'VISITORS'),
      ),
    )
    .orderBy(desc(contributors.createdAt), desc(contributors.id))
}

/** The code for the mail that brings it, from now on valid; null if it has ended. A retry sends the same one. */
export async function codeFor(ctx: Ctx, mailId: string): Promise<{ code: string; expiresAt: number } | null> {
  const isTarget = eq(contributorCodes.mailId, mailId)
  const now = ctx.now()
  const [asked] = await ctx.db
    .select({
      requestHash: contributorCodes.requestHash,
      memorialId: contributorCodes.memorialId,
      email: contributorCodes.email,
    })
    .from(contributorCodes)
    .innerJoin(memorials, eq(memorials.id, contributorCodes.memorialId))
    .where(and(isTarget, isNull(contributorCodes.sessionHash), isNotDeleted()))
  if (!asked) return null
  const { requestHash, memorialId, email } = asked
  // They may have taken their address back meanwhile.
  if ((await selectPeople(ctx, memorialId, email).limit(1)).length === 0) return null
  const code = mailedCode(ctx, mailId, requestHash)
  const [codeHash] = codeHashes(ctx, requestHash, code)
  const [valid] = await ctx.db
    .update(contributorCodes)
    .set({
      codeHash,
      expiresAt: sql`iif(${contributorCodes.codeHash} is null, ${now + CODE_EXPIRES_MS}, ${contributorCodes.expiresAt})`,
    })
    .where(and(isTarget, gt(contributorCodes.expiresAt, now)))
    .returning({ expiresAt: contributorCodes.expiresAt })
  return valid ? { code, expiresAt: valid.expiresAt } : null
}

type Chosen = { code: string; contributorId?: string | undefined }

/**
 * Starts a session of the contributor whom the code is for, in place of theirs elsewhere; or names several who left the address. One statement decides
 * about the code, so that parallel tries use it once and count each wrong one. What this browser has added under another name stays there. Throws
 * `bad_input` for a code that is wrong, old, used, or another browser's.
 */
export async function useCode(
  ctx: RequestCtx,
  invite: LiveInvite,
  { code, contributorId }: Chosen,
  headers: Headers,
): Promise<Recovered> {
  const { db } = ctx
  const memorialId = invite.memorial.id
  const asker = readOwnCookie(ctx.request, readCookies(ctx.request), cookieFor(memorialId)) ?? ''
  const requestHash = hashToken(asker)
  const isAsked = eq(contributorCodes.requestHash, requestHash)
  const email = db.select({ email: contributorCodes.email }).from(contributorCodes).where(isAsked)
  const [people, previous] = await Promise.all([
    selectPeople(ctx, memorialId, sql`(${email})`),
    findLiveContributor(ctx, memorialId, null),
  ])
  const chosen =
    contributorId === undefined && people.length === 1
      ? people[0]
      : people.find((person) => person.contributorId === contributorId)
  const token = newToken()
  const tokenHash = hashToken(token)
  const isRight = inArray(contributorCodes.codeHash, codeHashes(ctx, requestHash, code))
  const isUsed = existsIn(contributorCodes, and(isAsked, eq(contributorCodes.sessionHash, tokenHash)))
  const [[tried], [recovered]] = await db.batch([
    db
      .update(contributorCodes)
      .set({
        wrongTries: sql`${contributorCodes.wrongTries} + not ${isRight}`,
        sessionHash: chosen ? sql`iif(${isRight}, ${tokenHash}, null)` : null,
      })
      .where(
        and(
          isAsked,
          /* prove: code-own-memorial */ eq(contributorCodes.memorialId, memorialId),
          /* prove: code-once */ isNull(contributorCodes.sessionHash),
          /* prove: code-tries */ lt(contributorCodes.wrongTries, CODE_TRIES_MAX),
          /* prove: code-expires */ gt(contributorCodes.expiresAt, ctx.now()),
          isNotNull(contributorCodes.codeHash),
          /* prove: code-needs-live-invite */ isOpen(ctx, invite),
        ),
      )
      .returning({ isRight: sql<boolean>`${isRight}`.mapWith(Boolean) }),
    db
      .update(contributors)
      .set({
        // The phone that they had before may be lost.
        tokenHash,
        expiresAt: ctx.now() + CONTRIBUTOR_SESSION_EXPIRES_MS,
        // The family may have made a new link since.
        inviteToken: invite.token,
        // prove: recovered-browser-stays-blocked
        blockedAt: sql`coalesce(${contributors.blockedAt}, (select "before"."blocked_at" from ${contributors} as "before"
          where "before"."id" = ${previous?.id ?? ''}))`,
      })
      .where(
        and(
          eq(contributors.id, chosen?.contributorId ?? ''),
          /* prove: code-own-address */ eq(contributors.email, sql`(${email})`),
          /* prove: code-decides */ isUsed,
        ),
      )
      .returning({ id: contributors.id, displayName: contributors.displayName }),
  ])
  if (tried?.isRight && !chosen && people.length > 1) return { people }
  if (!recovered) {
    await limitWrongInvites(ctx)
    throw fieldError('bad_input', 'code', recoveryMessages.codeWrong)
  }
  await storeContributorToken(ctx, tokenHash, recovered.id)
  setOwnCookie(headers, ctx.request, cookieFor(memorialId), '', 0)
  setContributorCookie(headers, ctx.request, memorialId, token)
  const own = await readOwnSession(ctx, { ...recovered, memorialId })
  return { session: { ...own, authToken: token } }
}

/** SQL: the invitation works, and its memorial is open to those who have it. As {@link requireLiveInvite}, at the moment of the write. */
function isOpen(ctx: Ctx, { token, memorial: { id } }: LiveInvite) {
  return sql`exists (select 1 from ${inviteTokens} inner join ${memorials} on ${memorials.id} = ${inviteTokens.memorialId}
    where ${inviteTokens.token} = ${token} and ${isOpenLink(ctx.now())} and ${memorials.id} = ${id}
      and ${memorials.privacy} <> 'PRIVATE')`
}

/** Keeps the address of a relative, or deletes it with the codes that went there. Throws `not_found` for anybody else: who looks after the memorial has an account. */
export async function keepAddress(
  ctx: RequestCtx,
  { contributor, role }: MemorialAccess,
  email: string,
): Promise<void> {
  // prove: address-of-relatives-only
  if (!contributor || contributor.isVisitor || isOfFamily(role))
    throw new AppError('not_found', serverMessages.contributor.noSession)
  if (contributor.isGuest) throw new AppError('name_required', recoveryMessages.guestFirst)
  const { id, memorialId } = contributor
  const isOwn = eq(contributors.id, id)
  const before = ctx.db.select({ email: contributors.email }).from(contributors).where(isOwn)
  const isOther = and(eq(mails.subjectId, id), eq(mails.kind, 'contributor-code'), ne(mails.recipient, email))
  await ctx.db.batch([
    ctx.db
      .delete(contributorCodes)
      .where(
        and(
          eq(contributorCodes.memorialId, memorialId),
          eq(contributorCodes.email, sql`(${before})`),
          ne(contributorCodes.email, email),
        ),
      ),
    ctx.db.delete(mails).where(isOther),
    ctx.db
      .update(contributors)
      .set({ email: email === '' ? null : email, addressAskedAt: ctx.now() })
      .where(isOwn),
  ])
}
