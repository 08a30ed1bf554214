import type { User } from '#shared/accounts/accounts.ts'
import { and, asc, eq, isNotNull, or, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { fillPath } from '#shared/fill-path.ts'
import { AGE_MIN, EXPORT_PAGE } from '#shared/limits.ts'
import { paths } from '#shared/pages/pages.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { link } from '#worker/platform/links.ts'
import { emailChanges, users } from '#worker/schema/accounts.table.ts'
import { exportSessions } from '#worker/features/accounts/account-sessions.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { serviceRows, toFuneralEvent } from '#worker/features/funeral/funeral.ts'
import { selectReplies, toExportedReply } from '#worker/features/replies/replies.ts'
import { selectLocation, toLocation } from '#worker/features/location/location.ts'
import { handovers, keepers } from '#worker/schema/keepers.table.ts'
import { letInRequests } from '#worker/schema/let-in.table.ts'
import { contributors, inviteTokens } from '#worker/schema/invites.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { authenticators, passkeys, printedCodes } from '#worker/schema/passkeys.table.ts'
import { media } from '#worker/schema/media.table.ts'
import { successors } from '#worker/schema/successors.table.ts'
import { selectMedia } from '#worker/features/media/media.ts'
import { readableLifeStory } from '#worker/features/memorials/life-story.ts'
import { publicLink } from '#worker/features/memorials/slug.ts'
import { exportPayments } from '#worker/features/payments/payments.ts'
import { isNewerThan } from '#worker/platform/db.ts'
import { contentDisposition } from '#worker/platform/file-names.ts'

type MemorialRow = typeof memorials.$inferSelect

/** Everything stored about a user, page by page. Other people appear only by name, never by address. */
export function accountDownload(ctx: Ctx, user: User): Response {
  const parts = accountParts(ctx, user)
  const text = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await parts.next()
      if (done) controller.close()
      else controller.enqueue(text.encode(value))
    },
  })
  const name = `my-account-${new Date(ctx.now()).toISOString().slice(0, 10)}.json`
  return new Response(body, {
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Disposition': contentDisposition('attachment', name),
      'Cache-Control': 'private, no-store',
    },
  })
}

async function* accountParts(ctx: Ctx, { id }: User): AsyncGenerator<string> {
  const [row] = await ctx.db.select().from(users).where(eq(users.id, id))
  if (!row) return
  const { email, firstName, lastName, createdAt, emailVerifiedAt, termsVersion, termsAcceptedAt } = row
  // Not those that wait: a new address may be somebody else's until it is confirmed.
  const earlier = await ctx.db
    .select({ email: emailChanges.oldEmail, changedAt: emailChanges.changedAt })
    .from(emailChanges)
    .where(and(eq(emailChanges.userId, id), isNotNull(emailChanges.changedAt)))
    .orderBy(asc(emailChanges.changedAt))
  yield openJsonObject({
    exportedAt: toIsoTime(ctx.now()),
    account: {
      id,
      email,
      firstName,
      lastName,
      createdAt: toIsoTime(createdAt),
      emailConfirmedAt: toIsoTime(emailVerifiedAt),
    },
    earlierEmails: earlier.map(({ email: address, changedAt }) => ({
      email: address,
      changedAt: toIsoTime(changedAt),
    })),
    consent: {
      terms: `${ctx.env.PUBLIC_ORIGIN}/terms`,
      termsVersion,
      acceptedAt: toIsoTime(termsAcceptedAt),
      statedAge: `${AGE_MIN} or older`,
    },
    signedInOn: await exportSessions(ctx, id),
    ...(await exportKeys(ctx, id)),
    payments: await exportPayments(ctx, id),
    looksAfter: await exportKept(ctx, id),
    handedOver: await exportHandovers(ctx, id),
  })
  yield ',"memorials":['
  const ownMemorials = await ctx.db
    .select()
    .from(memorials)
    .where(eq(memorials.ownerId, id))
    .orderBy(asc(memorials.createdAt), asc(memorials.id))
  for (const [index, memorial] of ownMemorials.entries()) {
    if (index > 0) yield ','
    yield* memorialParts(ctx, memorial)
  }
  yield ']}\n'
}

/** The memorials of others that somebody looks after. */
async function exportKept({ db }: Ctx, userId: string) {
  const kept = await db
    .select({ honoureeFullName: memorials.honoureeFullName, role: keepers.role, since: keepers.createdAt })
    .from(keepers)
    .innerJoin(memorials, eq(memorials.id, keepers.memorialId))
    .where(eq(keepers.userId, userId))
    .orderBy(asc(keepers.createdAt))
  return kept.map(({ honoureeFullName, role, since }) => ({
    honoureeFullName,
    role,
    since: toIsoTime(since),
  }))
}

/** The memorials that somebody has handed over or taken over. */
async function exportHandovers({ db }: Ctx, userId: string) {
  const [from, to] = [alias(users, 'from_user'), alias(users, 'to_user')]
  const { acceptedAt, takenBackAt } = handovers
  const rows = await db
    .select({
      honoureeFullName: memorials.honoureeFullName,
      from: sql<string>`trim(${from.firstName} || ' ' || ${from.lastName})`,
      to: sql<string | null>`trim(${to.firstName} || ' ' || ${to.lastName})`,
      at: acceptedAt,
      takenBackAt,
    })
    .from(handovers)
    .innerJoin(memorials, eq(memorials.id, handovers.memorialId))
    .innerJoin(from, eq(from.id, handovers.fromUserId))
    .leftJoin(to, eq(to.id, handovers.toUserId))
    .where(and(or(eq(handovers.fromUserId, userId), eq(handovers.toUserId, userId)), isNotNull(acceptedAt)))
    .orderBy(asc(acceptedAt))
  return rows.map(({ honoureeFullName, from: by, to: newOwner, at, takenBackAt: backAt }) => ({
    honoureeFullName,
    from: by,
    to: newOwner,
    at: toIsoTime(at),
    takenBackAt: toIsoTime(backAt),
  }))
}

/** Of passkeys, printed codes and an authenticator app only what their owner knows: nothing that opens the account. */
async function exportKeys(ctx: Ctx, userId: string) {
  const [keys, codes, [authenticator]] = await ctx.db.batch([
    ctx.db
      .select()
      .from(passkeys)
      .where(eq(passkeys.userId, userId))
      .orderBy(asc(passkeys.createdAt), asc(passkeys.id)),
    ctx.db.select().from(printedCodes).where(eq(printedCodes.userId, userId)),
    ctx.db.select().from(authenticators).where(eq(authenticators.userId, userId)),
  ])
  return {
    passkeys: keys.map(({ name, createdAt, lastUsedAt }) => ({
      name,
      addedAt: toIsoTime(createdAt),
      lastUsedAt: toIsoTime(lastUsedAt),
    })),
    printedCodes: {
      madeAt: toIsoTime(codes[0]?.createdAt ?? null),
      left: codes.filter(({ usedAt }) => usedAt === null).length,
    },
    authenticatorAddedAt: toIsoTime(authenticator?.createdAt ?? null),
  }
}

async function* memorialParts(ctx: Ctx, row: MemorialRow): AsyncGenerator<string> {
  const { id, status, honoureeFullName } = row
  const head = { id, status, honoureeFullName, createdAt: toIsoTime(row.createdAt) }
  if (status === 'REMOVED') {
    yield JSON.stringify({ ...head, removalNote: row.removalNote })
    return
  }
  const [location] = await selectLocation(ctx, id)
  const invites = await ctx.db
    .select({ token: inviteTokens.token, name: inviteTokens.name, endsAt: inviteTokens.endsAt })
    .from(inviteTokens)
    .where(and(eq(inviteTokens.memorialId, id), eq(inviteTokens.status, 'ASSIGNED')))
    .orderBy(asc(inviteTokens.assignedAt))
  const asked = await ctx.db
    .select()
    .from(letInRequests)
    .where(eq(letInRequests.memorialId, id))
    .orderBy(asc(letInRequests.createdAt))
  const linkOf = (token: string) => link(ctx, fillPath(paths.invite, { token }))
  const first = invites.find(({ name }) => name === null)
  const [services, replyRows, people, named] = await ctx.db.batch([
    serviceRows(ctx, id),
    selectReplies(ctx, id),
    ctx.db
      .select({ name: contributors.displayName, role: keepers.role, since: keepers.createdAt })
      .from(keepers)
      .innerJoin(contributors, eq(contributors.id, keepers.contributorId))
      .where(eq(keepers.memorialId, id))
      .orderBy(asc(keepers.createdAt)),
    ctx.db
      .select({ name: successors.name, since: successors.createdAt })
      .from(successors)
      .where(eq(successors.memorialId, id))
      .orderBy(asc(successors.createdAt)),
  ])
  yield openJsonObject({
    ...head,
    updatedAt: toIsoTime(row.updatedAt),
    deletedAt: toIsoTime(row.deletedAt),
    title: row.title,
    dateOfBirth: row.dateOfBirth,
    dateOfBirthPrecision: row.dateOfBirthPrecision,
    dateOfDeath: row.dateOfDeath,
    dateOfDeathPrecision: row.dateOfDeathPrecision,
    lifeStory: readableLifeStory(row.lifeStory, row.lifeStoryVersion),
    privacy: row.privacy,
    publicSince: toIsoTime(row.lockedAt),
    lastOpenedAt: toIsoTime(row.seenAt),
    showLocation: row.showLocation,
    allowSearchEngines: row.allowSearchEngines,
    showInvitePreview: row.showInvitePreview,
    holdNew: row.holdNew,
    visitorMessages: row.visitorMessages,
    tellOwner: row.tellOwner,
    mayAsk: row.mayAsk,
    askedToBeLetIn: asked.map(({ name, relation, decision, createdAt }) => ({
      name,
      relation,
      decision,
      askedAt: toIsoTime(createdAt),
    })),
    lastToldAt: toIsoTime(row.toldAt),
    publicLink: publicLink(ctx, row),
    inviteLink: first ? linkOf(first.token) : null,
    moreInviteLinks: invites
      .filter(({ name }) => name !== null)
      .map(({ token, name, endsAt }) => ({ name, link: linkOf(token), endsAt: toIsoTime(endsAt) })),
    location: location ? toLocation(location) : null,
    lookedAfterBy: people.map(({ name, role, since }) => ({ name, role, since: toIsoTime(since) })),
    mayBeAskedForBy: named.map(({ name, since }) => ({ name, since: toIsoTime(since) })),
    services: services.map((service) =>
      Object.assign(toFuneralEvent(service), {
        replies: replyRows.filter(({ eventId }) => eventId === service.id).map(toExportedReply),
      }),
    ),
  })
  yield ',"media":['
  yield* streamRows(
    (last) => selectMediaAfter(ctx, id, last),
    ({ row: item, contributorName }) => ({
      id: item.id,
      type: item.type,
      fileName: item.originalFileName,
      size: item.size,
      caption: item.caption,
      alternativeText: item.alt,
      addedBy: contributorName,
      createdAt: toIsoTime(item.createdAt),
      link: `${ctx.env.PUBLIC_ORIGIN}/media/stream/${item.id}?original=1`,
    }),
  )
  yield '],"messages":['
  yield* streamRows(
    (last) => selectMessagesAfter(ctx, id, last),
    ({ row: message, contributorName }) => ({
      id: message.id,
      body: message.body,
      writtenBy: message.visitorName ?? contributorName,
      relation: message.visitorRelation,
      isYours: message.authorUserId === row.ownerId,
      createdAt: toIsoTime(message.createdAt),
    }),
  )
  yield ']}'
}

type Position = { createdAt: number; id: string }

/** Yields every row of a list as JSON, separated by commas, page by page. */
async function* streamRows<T extends { row: Position }>(
  pageAfter: (last: Position | null) => PromiseLike<T[]>,
  toJson: (found: T) => object,
): AsyncGenerator<string> {
  let last: Position | null = null
  for (;;) {
    const page: T[] = await pageAfter(last)
    if (page.length > 0) yield (last ? ',' : '') + page.map((row) => JSON.stringify(toJson(row))).join(',')
    last = page.at(-1)?.row ?? null
    if (page.length < EXPORT_PAGE) return
  }
}

function selectMediaAfter(ctx: Ctx, memorialId: string, last: Position | null) {
  return selectMedia(ctx)
    .where(and(eq(media.memorialId, memorialId), last ? isNewerThan(media, last) : undefined))
    .orderBy(asc(media.createdAt), asc(media.id))
    .limit(EXPORT_PAGE)
}

function selectMessagesAfter(ctx: Ctx, memorialId: string, last: Position | null) {
  return ctx.db
    .select({ row: comments, contributorName: contributors.displayName })
    .from(comments)
    .leftJoin(contributors, eq(contributors.id, comments.authorContributorId))
    .where(and(eq(comments.memorialId, memorialId), last ? isNewerThan(comments, last) : undefined))
    .orderBy(asc(comments.createdAt), asc(comments.id))
    .limit(EXPORT_PAGE)
}

/** Returns the value as a JSON object without its closing brace, so that more keys can follow. */
function openJsonObject(value: object): string {
  return JSON.stringify(value).slice(0, -1)
}

function toIsoTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}
