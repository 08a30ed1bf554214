import { and, desc, eq, ne, sql } from 'drizzle-orm'
import type { ContributorPage, ListedContributor, ListedLink } from '#shared/invites/contributors.ts'
import { CONTRIBUTORS_PAGE, LINKS_LISTED_MAX } from '#shared/limits.ts'
import type { MediaType } from '#shared/media/media-types.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'
import { nameJudge } from '#worker/features/rules/word-rules.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { isAfterCursor, splitPage } from '#worker/platform/db.ts'
import { pseudonymousId } from '#worker/platform/random.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { contributors, inviteTokens } from '#worker/schema/invites.table.ts'
import { media } from '#worker/schema/media.table.ts'

/**
 * Returns one page of the people who gave a name, who joined last first, with what is shown of each. Leaves out who added
 * nothing, so a page can be empty and have a successor: somebody may have joined a thousand times.
 */
export async function listContributors(
  ctx: Ctx,
  { memorial }: MemorialAccess,
  cursor: string | null,
): Promise<ContributorPage> {
  // D1 names the columns of a batch, so each needs a name of its own.
  const mediaOf = (type: MediaType) =>
    sql<number>`(select count(*) from ${media}
    where ${media.contributorId} = ${contributors.id} and ${media.type} = ${type})`.as(type)
  const named = ctx.db
    .select({
      id: contributors.id,
      createdAt: contributors.createdAt,
      displayName: contributors.displayName,
      link: inviteTokens.token,
      status: inviteTokens.status,
      isBlocked: sql<boolean>`${contributors.blockedAt} is not null`.mapWith(Boolean).as('is_blocked'),
      IMAGE: mediaOf('IMAGE'),
      VIDEO: mediaOf('VIDEO'),
      AUDIO: mediaOf('AUDIO'),
      comments: sql<number>`(select count(*) from ${comments}
        where ${comments.authorContributorId} = ${contributors.id})`.as('comments'),
    })
    .from(contributors)
    .innerJoin(inviteTokens, eq(inviteTokens.token, contributors.inviteToken))
    .where(
      and(
        eq(contributors.memorialId, memorial.id),
        sql`${contributors.isGuest} = 0`,
        // Those who look after the memorial have a list of their own.
        ne(inviteTokens.status, 'KEEPERS'),
        isAfterCursor(contributors, 'contributor', cursor),
      ),
    )
    .orderBy(desc(contributors.createdAt), desc(contributors.id))
    .limit(CONTRIBUTORS_PAGE + 1)
  const [rows, links] =
    cursor === null ? await ctx.db.batch([named, selectLinks(ctx, memorial.id)]) : [await named, []]
  const { page, nextCursor } = splitPage(rows, CONTRIBUTORS_PAGE)
  const mayHurt = await nameJudge(ctx)
  return {
    contributors: page
      .map((row) => toListedContributor(row, memorial.id, mayHurt(row.displayName)))
      .filter(({ added }) => Object.values(added).some((count) => count > 0)),
    links: links.map((link) => toListedLink(link, memorial.id)),
    nextCursor,
  }
}

type PersonRow = Pick<ListedContributor, 'id' | 'displayName'> &
  ListedContributor['added'] & {
    createdAt: number
    link: string
    status: LinkRow['status']
    isBlocked: boolean
  }

function toListedContributor(
  { id, displayName, createdAt, link, status, isBlocked, ...added }: PersonRow,
  memorialId: string,
  mayNameHurt: boolean,
): ListedContributor {
  return {
    id,
    displayName,
    joinedAt: new Date(createdAt).toISOString(),
    linkId: linkIdOf(link, memorialId),
    ...(status === 'VISITORS' && { isVisitor: true }),
    ...(isBlocked && { isBlocked: true }),
    ...(mayNameHurt && { mayNameHurt: true }),
    added,
  }
}

/** The token of the link with this `linkId`, or without one of the first invitation that works now. Null if there is none. */
export async function findLinkToken(
  ctx: Ctx,
  memorialId: string,
  linkId: string | undefined,
): Promise<string | null> {
  const links = await selectLinks(ctx, memorialId)
  const found = links.find(({ token, status, name }) =>
    linkId === undefined ? status === 'ASSIGNED' && name === null : linkIdOf(token, memorialId) === linkId,
  )
  return found?.token ?? null
}

/** Statement: the invitation links of a memorial that work, the stand-in for its public page, and the newest ended links. */
function selectLinks(ctx: Ctx, memorialId: string) {
  return (
    ctx.db
      .select({
        token: inviteTokens.token,
        status: inviteTokens.status,
        name: inviteTokens.name,
        assignedAt: inviteTokens.assignedAt,
        revokedAt: inviteTokens.revokedAt,
      })
      .from(inviteTokens)
      .where(and(eq(inviteTokens.memorialId, memorialId), ne(inviteTokens.status, 'KEEPERS')))
      // ASSIGNED, the first one first, then VISITORS, however many have ended since.
      .orderBy(
        sql`${inviteTokens.status} = 'REVOKED', ${inviteTokens.status}, ${inviteTokens.name} is not null`,
        desc(inviteTokens.assignedAt),
      )
      .limit(LINKS_LISTED_MAX)
  )
}

type LinkRow = Awaited<ReturnType<typeof selectLinks>>[number]

function toListedLink(
  { token, status, name, assignedAt, revokedAt }: LinkRow,
  memorialId: string,
): ListedLink {
  return {
    id: linkIdOf(token, memorialId),
    assignedAt: new Date(assignedAt ?? 0).toISOString(),
    revokedAt: revokedAt === null ? null : new Date(revokedAt).toISOString(),
    ...(name !== null && { name }),
    ...(status === 'VISITORS' && { isVisitors: true }),
  }
}

/** Doesn't reveal the token, which lets whoever has it in. */
export function linkIdOf(token: string, memorialId: string): string {
  return pseudonymousId('link', token, memorialId)
}
