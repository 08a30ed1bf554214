import { eq } from 'drizzle-orm'
import { DAY_MS } from '#shared/limits.ts'
import type { HeldColumns } from '#worker/access/held.ts'
import { newId } from '#worker/platform/random.ts'
import { commentLikes, comments } from '#worker/schema/comments.table.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { media } from '#worker/schema/media.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { reports } from '#worker/schema/reports.table.ts'
import { Client, contributorOf, inviteTokenOf, memorialOf, signedIn, testCtx, visitorOf } from '../harness.ts'
import { changeRows, rowsOf } from '../rows.ts'
import { sendFixture } from '../uploads.ts'

/** What an item can be to the family. Everything but SHOWN is held. */
export const STATES = {
  SHOWN: { isHeld: false, heldAs: 'WAITING', heldReason: null },
  WAITING: { isHeld: true, heldAs: 'WAITING', heldReason: null },
  MAY_HURT: { isHeld: true, heldAs: 'MAY_HURT', heldReason: 'WORDS' },
  REPORTED: { isHeld: true, heldAs: 'MAY_HURT', heldReason: 'REPORTS' },
  DECLINED: { isHeld: true, heldAs: 'DECLINED', heldReason: null },
  BLOCKED: { isHeld: true, heldAs: 'BLOCKED', heldReason: null },
  BLOCKED_UNREAD: { isHeld: true, heldAs: 'BLOCKED_UNREAD', heldReason: null },
} as const satisfies Record<string, HeldColumns>
export type State = keyof typeof STATES
export const ALL_STATES = Object.keys(STATES) as State[]
export const HELD_STATES = ALL_STATES.filter((state) => state !== 'SHOWN')

/** In every text, name and id of an item in this state, and nowhere else. */
export function markOf(state: State): string {
  return `zq${state.toLowerCase().replaceAll('_', '')}q`
}
/** When the memorial became public. */
export const LOCKED_AT = 5
/** In the names of the people of whom everything is held. */
export const HIDDEN_PERSON = 'zqperson'

export const photoIdOf = (state: State) => `med_${markOf(state)}`
/** A message of a relative, or of a visitor of the public page. */
export const messageIdOf = (state: State, isVisitors = false) =>
  `com_${markOf(state)}${isVisitors ? 'v' : ''}`

export const VIEWERS = [
  'nobody',
  'stranger',
  'cousin',
  'visitor',
  'author',
  'writer',
  'owner',
  'admin',
] as const
export type Viewer = (typeof VIEWERS)[number]
/** Those who may see nothing that is held. */
export const OUTSIDERS = ['nobody', 'stranger', 'cousin', 'visitor'] as const satisfies Viewer[]

export type HeldStage = {
  memorial: { id: string; slug: string }
  path: string
  invite: string
  eventId: string
  people: Record<Viewer, Client>
  /** Stores what is held. */
  addHeld: () => Promise<void>
}

/**
 * A memorial with something by everybody: what the owner, a cousin and a visitor added is shown. All that `author` (who was invited) and
 * `writer` (a visitor) add is held, one photo and message in each state, and doesn't exist before `addHeld`.
 */
export async function stageOf(): Promise<HeldStage> {
  const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE' })
  const cover = await sendFixture(owner, memorial.id, 'photo.png')
  await owner.patch(path, { coverMediaId: cover, profileMediaId: cover, allowSearchEngines: true })
  const { body: event } = await owner.put<{ id: string }>(`${path}/funeral`, { dateTime: '2026-06-06T10:00' })
  await owner.put(`${path}/location`, { latitude: -17.5, longitude: 31 })
  const visitor = await visitorOf(owner, memorial, 'From a neighbour')
  const shown = { isHeld: false, visitorRelation: 'A neighbour' }
  await changeRows(comments, { memorialId: memorial.id }, shown)
  const writer = await visitorOf(owner, memorial, 'To be replaced')
  const [placeholder] = await rowsOf(comments, { memorialId: memorial.id, isHeld: true })
  await testCtx().db.delete(comments).where(eq(comments.isHeld, true))
  const writerId = placeholder?.authorContributorId ?? ''
  await changeRows(contributors, { id: writerId }, { displayName: `${HIDDEN_PERSON} visitor` })
  await owner.patch(`${path}/privacy`, { privacy: 'INVITE' })
  const cousin = await contributorOf(owner, memorial.id, 'Cousin Sibanda')
  const author = await contributorOf(owner, memorial.id, `${HIDDEN_PERSON} Ncube`)
  // News count from the owner's last visit.
  await changeRows(memorials, { id: memorial.id }, { seenAt: 1 })
  const [photo] = await rowsOf(media, { id: cover })
  const liked = { likedBy: cousin.session.contributorId }
  const made = (state: State, by: string) =>
    itemsOf(state, { memorialId: memorial.id, by, photo: photo!, liked })
  const shownItems = made('SHOWN', cousin.session.contributorId)
  // The owner's: a quota counts from time to time what a contributor has, and the cousin sees theirs.
  await store({
    ...shownItems,
    photos: shownItems.photos.map((row) => Object.assign(row, { contributorId: null })),
  })
  return {
    memorial,
    path,
    invite: await inviteTokenOf(owner, memorial.id),
    eventId: event.id,
    people: {
      nobody: new Client(),
      stranger: await signedIn(),
      cousin,
      visitor,
      author,
      writer,
      owner,
      admin: await signedIn({ admin: true }),
    },
    async addHeld() {
      for (const state of HELD_STATES) {
        await store(made(state, author.session.contributorId))
        await store({ ...NO_ITEMS, comments: [visitorMessage(state, memorial.id, writerId)] })
      }
    },
  }
}

type Items = {
  photos: (typeof media.$inferInsert)[]
  comments: (typeof comments.$inferInsert)[]
  likes: (typeof commentLikes.$inferInsert)[]
  reports: (typeof reports.$inferInsert)[]
}
const NO_ITEMS: Items = { photos: [], comments: [], likes: [], reports: [] }
/** Long enough ago that admins see reports, and short enough that decisions can be undone. */
const ADDED_AT = Date.now() - 10 * DAY_MS

type Adding = {
  memorialId: string
  by: string
  /** Its file is the photo's. */
  photo: typeof media.$inferSelect
  liked: { likedBy: string }
}

/** A photo and a message in this state, both reported, and the message liked and thanked for. */
function itemsOf(state: State, { memorialId, by, photo, liked }: Adding): Items {
  const mark = markOf(state)
  const columns = { memorialId, ...columnsOf(state) }
  const commentId = messageIdOf(state)
  const thanked = { likeCount: 1, thankedAt: ADDED_AT }
  return {
    photos: [
      {
        ...photo,
        ...columns,
        id: photoIdOf(state),
        contributorId: by,
        originalFileName: `${mark}-file.png`,
        caption: `Caption ${mark}`,
        alt: `Alternative ${mark}`,
      },
    ],
    comments: [{ ...columns, ...thanked, id: commentId, authorContributorId: by, body: `Words ${mark}` }],
    likes: [{ ...liked, commentId, createdAt: ADDED_AT }],
    reports: [photoIdOf(state), commentId].map((itemId) => ({
      id: newId('report'),
      memorialId,
      itemId,
      reporter: 'x',
      reason: 'HURTFUL' as const,
      words: `Report of ${mark}`,
      createdAt: ADDED_AT,
    })),
  }
}

function visitorMessage(state: State, memorialId: string, by: string): typeof comments.$inferInsert {
  const mark = markOf(state)
  return {
    memorialId,
    ...columnsOf(state),
    id: messageIdOf(state, true),
    authorContributorId: by,
    body: `Visitor's words ${mark}`,
    visitorName: `${HIDDEN_PERSON} ${mark}`,
    visitorRelation: `Relation ${mark}`,
  }
}

function columnsOf(state: State) {
  const decidedAt = state === 'DECLINED' ? ADDED_AT : null
  return { ...STATES[state], decidedAt, createdAt: ADDED_AT }
}

async function store(items: Items): Promise<void> {
  const { db } = testCtx()
  for (const row of items.photos) await db.insert(media).values(row)
  for (const row of items.comments) await db.insert(comments).values(row)
  for (const row of items.likes) await db.insert(commentLikes).values(row)
  for (const row of items.reports) await db.insert(reports).values(row)
}
