import { and, eq } from 'drizzle-orm'
import { expect } from 'vitest'
import { api } from '#shared/api.ts'
import { DAY_MS } from '#shared/limits.ts'
import type { Privacy } from '#shared/memorials/memorials.ts'
import { auditLog } from '#worker/schema/admin.table.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { funeralEvents } from '#worker/schema/funeral.table.ts'
import { media } from '#worker/schema/media.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { removedItems } from '#worker/schema/removed.table.ts'
import { newId } from '#worker/platform/random.ts'
import { errorBodyProblems } from '../error-body.ts'
import { keeperOf } from '../keepers.ts'
import { Client, contributorOf, inviteTokenOf, memorialOf, signedIn, testCtx, visitorOf } from '../harness.ts'
import { headerProblems } from '../../expected-headers.ts'

const NAME = 'Zvita Chokwadi'
const LATITUDE = -17.829167

/** The viewers, in the order of the cells below. Those whose calls end sessions come last. */
const VIEWERS = [
  'anonymous',
  'stranger',
  'contributor of another memorial',
  'guest',
  'contributor',
  'contributor after rotation',
  'holder of the link',
  'owner',
  'owner of another memorial',
  'admin',
  'keeper',
  'helper',
] as const
type Viewer = (typeof VIEWERS)[number]
/** Has left words while the memorial was public. Like a contributor there, and like anybody else elsewhere. */
const VISITOR = 'visitor who left words'
/** Calls that refuse them at a public memorial, too. */
const NOT_FOR_VISITORS: ReadonlySet<string> = new Set(['keepAddress'])
/** One status per viewer: anonymous, stranger, foreign, guest, contributor, rotated, link, owner, other owner, admin, keeper, helper. */
type Cells = readonly [
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
]
type Row = Record<Privacy, Cells>

/** The records that calls act on. Rows that delete come after rows that read; the next viewer gets new records. */
type Fixture = {
  id: string
  slug: string
  privacy: Privacy
  eventId: string
  commentId: string
  mediaId: string
  /** Removed by the owner, who had added them. */
  removedPhotoId: string
  removedCommentId: string
}
type Call = { path: (at: Fixture) => string; body?: (at: Fixture) => unknown; form?: true }

const view = (ok: number): Row => ({
  PRIVATE: [403, 403, 403, 403, 403, 403, 403, ok, 403, ok, ok, ok],
  INVITE: [403, 403, 403, ok, ok, 403, ok, ok, 403, ok, ok, ok],
  LOCKED: [ok, ok, ok, ok, ok, ok, ok, ok, ok, ok, ok, ok],
})
const sameInAll = (cells: Cells): Row => ({ PRIVATE: cells, INVITE: cells, LOCKED: cells })
/** A PRIVATE memorial ends the sessions of its contributors. */
const edit = (ok: number): Row => ({
  ...sameInAll([401, 403, 401, 403, 403, 401, 401, ok, 403, ok, ok, 403]),
  PRIVATE: [401, 403, 401, 401, 401, 401, 401, ok, 403, ok, ok, 403],
})
/** Those who edit, and helpers. */
const approve = (ok: number): Row => {
  const asEditors = edit(ok)
  const withHelper = (cells: Cells): Cells => [...cells.slice(0, -1), ok] as unknown as Cells
  return {
    PRIVATE: withHelper(asEditors.PRIVATE),
    INVITE: withHelper(asEditors.INVITE),
    LOCKED: withHelper(asEditors.LOCKED),
  }
}
const like: Row = {
  PRIVATE: [403, 403, 403, 403, 403, 403, 403, 200, 403, 200, 200, 200],
  INVITE: [403, 403, 403, 200, 200, 403, 401, 200, 403, 200, 200, 200],
  LOCKED: [401, 200, 401, 200, 200, 401, 401, 200, 200, 200, 200, 200],
}
/** Whoever sees it, but those who decide about it. */
const report: Row = {
  PRIVATE: [403, 403, 403, 403, 403, 403, 403, 403, 403, 403, 403, 403],
  INVITE: [403, 403, 403, 200, 200, 403, 200, 403, 403, 403, 403, 403],
  LOCKED: [200, 200, 200, 200, 200, 200, 200, 403, 200, 403, 403, 403],
}
const hurtful = () => ({ reason: 'HURTFUL' })
/** Changing or deleting what the owner added. */
const ownersOwn = (ok: number): Row => ({
  PRIVATE: [403, 403, 403, 403, 403, 403, 403, ok, 403, ok, ok, 403],
  INVITE: [403, 403, 403, 403, 403, 403, 401, ok, 403, ok, ok, 403],
  LOCKED: [401, 403, 401, 403, 403, 401, 401, ok, 403, ok, ok, 403],
})

/** What the owner removed doesn't exist for others. */
const ownersRemoved = (ok: number): Row => ({
  PRIVATE: [403, 403, 403, 403, 403, 403, 403, ok, 403, ok, ok, 404],
  INVITE: [403, 403, 403, 404, 404, 403, 404, ok, 403, ok, ok, 404],
  LOCKED: [404, 404, 404, 404, 404, 404, 404, ok, 404, ok, ok, 404],
})

/** Not those who look after it with the owner. */
const ownerOrAdmin = (ok: number): Row => ({
  ...sameInAll([401, 403, 401, 403, 403, 401, 401, ok, 403, ok, 403, 403]),
  PRIVATE: [401, 403, 401, 401, 401, 401, 401, ok, 403, ok, 403, 403],
})

/** Only the owner, not even an admin. */
const ownerOnly = (ok: number): Row => ({
  ...sameInAll([401, 403, 401, 403, 403, 401, 401, ok, 403, 403, 403, 403]),
  PRIVATE: [401, 403, 401, 401, 401, 401, 401, ok, 403, 403, 403, 403],
})
const downloadsOriginal = ownerOnly(200)

const service = () => ({ dateTime: '2026-06-06T10:00' })
const memorialPath = (rest: string) => (at: Fixture) => `/api/memorials/${at.id}${rest}`
const servicePath = (at: Fixture) => `/api/memorials/${at.id}/funeral-events/${at.eventId}`
const mediaPath = (at: Fixture) => `/api/media/${at.mediaId}`
const likePath = (at: Fixture) => `/api/comments/${at.commentId}/like`

/** 412 when access is granted: the request names no tus version. */
const appendsChunk: Row = {
  PRIVATE: [403, 403, 403, 403, 403, 403, 403, 412, 403, 403, 412, 412],
  INVITE: [403, 403, 403, 409, 412, 403, 409, 412, 403, 403, 412, 412],
  LOCKED: [409, 409, 409, 409, 409, 409, 409, 409, 409, 409, 409, 409],
}
const uploadPath = memorialPath('/uploads/upl_abc')

/** Every call on a memorial, its media, comments or files. A 400 means that access was granted. */
export const TABLE: Partial<Record<keyof typeof api, Call & Row>> = {
  memorial: { path: memorialPath(''), ...view(200) },
  memorialBySlug: { path: (at) => `/api/memorial/${at.slug}`, ...view(200) },
  funeralEvents: { path: memorialPath('/funeral-events'), ...view(200) },
  programme: { path: memorialPath('/funeral-program'), ...view(200) },
  calendar: { path: memorialPath('/funeral.ics'), ...view(200) },
  ownReplies: { path: memorialPath('/own-replies'), ...view(200) },
  // Nobody is asked to a private memorial.
  sendReply: {
    path: (at) => `${servicePath(at)}/replies`,
    body: () => ({ answer: 'COMING', name: 'Farai' }),
    ...view(201),
    PRIVATE: [403, 403, 403, 403, 403, 403, 403, 409, 403, 409, 409, 409],
  },
  replyCounts: { path: memorialPath('/replies'), ...edit(200) },
  listReplies: { path: (at) => `${servicePath(at)}/replies`, ...edit(200) },
  repliesFile: { path: (at) => `${servicePath(at)}/replies.csv`, ...edit(200) },
  removeReply: { path: memorialPath('/replies/rpl_none'), ...edit(404) },
  tellReplies: { path: (at) => `${servicePath(at)}/tell`, ...edit(200) },
  announcementCard: { path: memorialPath('/announcement-card'), ...view(200) },
  listMedia: { path: memorialPath('/media'), ...view(200) },
  mediaStream: { path: (at) => `/media/stream/${at.mediaId}`, ...view(200) },
  listComments: { path: memorialPath('/comments'), ...view(200) },
  contributorSession: {
    path: memorialPath('/contributor-session'),
    PRIVATE: [403, 403, 403, 403, 403, 403, 403, 404, 403, 404, 200, 200],
    INVITE: [403, 403, 403, 200, 200, 403, 404, 404, 403, 404, 200, 200],
    LOCKED: [404, 404, 404, 200, 200, 404, 404, 404, 404, 404, 200, 200],
  },
  follow: {
    path: memorialPath('/followers'),
    body: () => ({ email: 'farai@family.test', news: true }),
    PRIVATE: [403, 403, 403, 403, 403, 403, 403, 403, 403, 403, 403, 403],
    INVITE: [403, 403, 403, 200, 200, 403, 200, 403, 403, 403, 403, 403],
    LOCKED: [200, 200, 200, 200, 200, 200, 200, 403, 200, 403, 403, 403],
  },
  followers: { path: memorialPath('/followers'), ...approve(200) },
  keepAddress: {
    path: memorialPath('/contributor-session/address'),
    body: () => ({ email: 'farai@family.test' }),
    PRIVATE: [403, 403, 403, 403, 403, 403, 403, 404, 403, 404, 404, 404],
    INVITE: [403, 403, 403, 409, 204, 403, 404, 404, 403, 404, 404, 404],
    LOCKED: [404, 404, 404, 409, 204, 404, 404, 404, 404, 404, 404, 404],
  },
  updateMemorial: { path: memorialPath(''), body: () => ({ title: 'x' }), ...edit(200) },
  updatePrivacy: { path: memorialPath('/privacy'), body: ({ privacy }) => ({ privacy }), ...edit(200) },
  saveFuneral: { path: memorialPath('/funeral'), body: service, ...edit(200) },
  // Those before have taken the last place.
  addFuneralEvent: {
    path: memorialPath('/funeral-events'),
    body: service,
    ...sameInAll([401, 403, 401, 403, 403, 401, 401, 201, 403, 201, 409, 403]),
    PRIVATE: [401, 403, 401, 401, 401, 401, 401, 201, 403, 201, 409, 403],
  },
  updateFuneralEvent: { path: servicePath, body: () => ({ title: 'x' }), ...edit(200) },
  deleteFuneralEvent: { path: servicePath, ...edit(204) },
  uploadProgramme: { path: memorialPath('/funeral-program'), form: true, ...edit(400) },
  saveLocation: {
    path: memorialPath('/location'),
    body: () => ({ latitude: LATITUDE, longitude: 31 }),
    ...edit(200),
  },
  // `showLocation` is off here, so others get no map image.
  locationMap: {
    path: memorialPath('/location/map'),
    PRIVATE: [403, 403, 403, 403, 403, 403, 403, 200, 403, 200, 200, 404],
    INVITE: [403, 403, 403, 404, 404, 403, 404, 200, 403, 200, 200, 404],
    LOCKED: [404, 404, 404, 404, 404, 404, 404, 200, 404, 200, 200, 404],
  },
  locationQr: { path: memorialPath('/location/qr'), ...edit(200) },
  plaque: { path: memorialPath('/plaque'), ...edit(200) },
  uploadMedia: {
    path: memorialPath('/media/upload'),
    form: true,
    PRIVATE: [403, 403, 403, 403, 403, 403, 403, 400, 403, 403, 400, 400],
    INVITE: [403, 403, 403, 409, 400, 403, 409, 400, 403, 403, 400, 400],
    LOCKED: [409, 409, 409, 409, 409, 409, 409, 409, 409, 409, 409, 409],
  },
  uploadOptions: { path: memorialPath('/uploads'), ...view(204) },
  createUpload: { path: memorialPath('/uploads'), ...appendsChunk },
  uploadState: { path: uploadPath, ...appendsChunk },
  appendUpload: { path: uploadPath, ...appendsChunk },
  deleteUpload: { path: uploadPath, ...appendsChunk },
  uploadProfileImage: {
    path: memorialPath('/profile-image'),
    form: true,
    PRIVATE: [401, 403, 401, 401, 401, 401, 401, 400, 403, 403, 400, 403],
    INVITE: [401, 403, 401, 403, 403, 401, 401, 400, 403, 403, 400, 403],
    LOCKED: [401, 403, 401, 403, 403, 401, 401, 409, 403, 409, 409, 403],
  },
  updateMedia: { path: mediaPath, body: () => ({ caption: 'x' }), ...ownersOwn(200) },
  // The media item is a recording, so anyone who may edit it gets a refusal: it takes no poster.
  uploadPoster: { path: (at) => `${mediaPath(at)}/poster`, ...ownersOwn(400) },
  reportMedia: { path: (at) => `${mediaPath(at)}/report`, body: hurtful, ...report },
  deleteMedia: { path: mediaPath, ...ownersOwn(204) },
  postComment: {
    path: memorialPath('/comments'),
    body: () => ({ body: 'Rest well' }),
    PRIVATE: [403, 403, 403, 403, 403, 403, 403, 201, 403, 403, 201, 201],
    INVITE: [403, 403, 403, 409, 201, 403, 409, 201, 403, 403, 201, 201],
    LOCKED: [409, 409, 409, 409, 409, 409, 409, 409, 409, 409, 409, 409],
  },
  likeComment: { path: likePath, ...like },
  unlikeComment: { path: likePath, ...like },
  // The owner's own message, which nobody thanks for.
  thankComment: {
    path: (at) => `/api/comments/${at.commentId}/thanks`,
    body: () => ({ isThanked: true }),
    ...ownersOwn(409),
  },
  reportComment: { path: (at) => `/api/comments/${at.commentId}/report`, body: hurtful, ...report },
  listReported: { path: memorialPath('/reports'), ...approve(200) },
  keepReported: {
    path: memorialPath('/reports/keep'),
    body: (at) => ({ itemId: at.commentId }),
    ...approve(404),
  },
  deleteComment: { path: (at) => `/api/comments/${at.commentId}`, ...ownersOwn(204) },
  listRemoved: {
    path: memorialPath('/removed'),
    PRIVATE: [403, 403, 403, 403, 403, 403, 403, 200, 403, 200, 200, 200],
    INVITE: [403, 403, 403, 409, 200, 403, 401, 200, 403, 200, 200, 200],
    LOCKED: [401, 403, 401, 409, 409, 401, 401, 200, 403, 200, 200, 409],
  },
  listContributors: { path: memorialPath('/contributors'), ...edit(200) },
  listHeld: { path: memorialPath('/held'), ...approve(200) },
  showHeld: { path: memorialPath('/held/show'), ...approve(200) },
  declineHeld: { path: memorialPath('/held/decline'), ...approve(200) },
  undoHeld: { path: memorialPath('/held/undo'), body: () => ({ ids: ['com_none'] }), ...approve(200) },
  listDecided: { path: memorialPath('/held/decided'), ...approve(200) },
  blockContributor: { path: memorialPath('/contributors/con_nobody/block'), ...edit(404) },
  unblockContributor: { path: memorialPath('/contributors/con_nobody/block'), ...edit(404) },
  removeAdded: {
    path: memorialPath('/removals'),
    body: () => ({ contributorId: 'con_nobody' }),
    ...edit(200),
  },
  restoreAdded: { path: memorialPath('/removals/rmv_none/restore'), ...edit(404) },
  deleteAdded: {
    path: memorialPath('/removals/rmv_none'),
    ...sameInAll([401, 403, 401, 403, 403, 401, 401, 404, 403, 404, 403, 403]),
    PRIVATE: [401, 403, 401, 401, 401, 401, 401, 404, 403, 404, 403, 403],
  },
  removedThumbnail: { path: (at) => `/media/removed/${at.removedPhotoId}`, ...ownersRemoved(200) },
  restoreMedia: { path: (at) => `/api/media/${at.removedPhotoId}/restore`, ...ownersRemoved(200) },
  restoreComment: { path: (at) => `/api/comments/${at.removedCommentId}/restore`, ...ownersRemoved(200) },
  inviteLink: { path: memorialPath('/invite-link'), ...edit(200) },
  rotateInviteLink: { path: memorialPath('/invite-link/rotate'), ...edit(200) },
  listInvitations: { path: memorialPath('/invitations'), ...edit(200) },
  addInvitation: { path: memorialPath('/invitations'), body: () => ({ name: 'Choir' }), ...edit(201) },
  endInvitation: { path: memorialPath('/invitations/lnk_none'), ...edit(404) },
  decideLetIn: {
    path: memorialPath('/let-in-requests/lir_none'),
    body: () => ({ decision: 'NOT_NOW' }),
    ...approve(409),
  },
  memorialAudit: { path: memorialPath('/audit'), ...edit(200) },
  listKeepers: { path: memorialPath('/keepers'), ...approve(200) },
  listFamilyActions: { path: memorialPath('/family-actions'), ...approve(200) },
  inviteKeeper: {
    path: memorialPath('/keeper-invites'),
    body: () => ({ role: 'HELPER' }),
    ...ownerOnly(201),
  },
  revokeKeeperInvite: { path: memorialPath('/keeper-invites/kin_none'), ...ownerOnly(404) },
  changeKeeper: {
    path: memorialPath('/keepers/con_none'),
    body: () => ({ role: 'HELPER' }),
    ...ownerOnly(404),
  },
  offerHandover: {
    path: memorialPath('/handover'),
    body: () => ({ keeperId: 'con_none' }),
    // The owner hasn't confirmed that it's them.
    ...ownerOnly(403),
  },
  endHandover: { path: memorialPath('/handover'), ...approve(404) },
  acceptHandover: { path: memorialPath('/handover/accept'), ...approve(404) },
  takeBackHandover: { path: memorialPath('/handover/take-back'), ...approve(404) },
  removeKeeper: { path: memorialPath('/keepers/con_none'), ...approve(404) },
  listSuccessors: { path: memorialPath('/successors'), ...ownerOrAdmin(200) },
  nameSuccessor: {
    path: memorialPath('/successors'),
    body: () => ({ name: 'Rudo', email: `${newId('user')}@family.test` }),
    ...ownerOnly(201),
  },
  changeSuccession: {
    path: memorialPath('/successors'),
    body: () => ({ afterMonths: 6 }),
    ...ownerOnly(200),
  },
  removeSuccessor: { path: memorialPath('/successors/suc_none'), ...ownerOnly(404) },
  exportPlan: { path: memorialPath('/export/plan'), ...downloadsOriginal },
  memorialExport: { path: memorialPath('/export'), ...downloadsOriginal },
  // The memorial is paid for, so the owner's call changes nothing.
  useCredit: {
    path: memorialPath('/credit'),
    ...sameInAll([401, 404, 401, 401, 401, 401, 401, 204, 404, 404, 404, 404]),
  },
  markSeen: {
    path: memorialPath('/seen'),
    ...sameInAll([401, 403, 401, 403, 403, 401, 401, 204, 403, 403, 204, 204]),
    PRIVATE: [401, 403, 401, 401, 401, 401, 401, 204, 403, 403, 204, 204],
  },
  deleteMemorial: {
    path: memorialPath(''),
    body: () => ({ confirmName: 'Somebody Else' }),
    ...sameInAll([401, 403, 401, 401, 401, 401, 401, 400, 403, 403, 403, 403]),
  },
  restoreMemorial: {
    path: memorialPath('/restore'),
    ...sameInAll([404, 404, 404, 404, 404, 404, 404, 409, 404, 409, 404, 404]),
  },
  visitorWords: { path: (at) => `/api/memorial/${at.slug}/visitor-messages`, ...view(200) },
  proveMessage: {
    path: (at) => `/api/memorial/${at.slug}/visitor-messages/com_none/proof`,
    body: () => ({ nonce: 'none' }),
    ...view(400),
  },
  // Last, because whoever leaves words has a session from then on.
  leaveMessage: {
    path: (at) => `/api/memorial/${at.slug}/visitor-messages`,
    body: () => ({ name: 'Farai', body: 'Rest well' }),
    PRIVATE: [403, 403, 403, 403, 403, 403, 403, 409, 403, 409, 409, 409],
    INVITE: [403, 403, 403, 409, 409, 403, 409, 409, 403, 409, 409, 409],
    LOCKED: [201, 201, 201, 201, 201, 201, 201, 409, 201, 409, 409, 409],
  },
}

type Stage = {
  memorial: { id: string; slug: string }
  privacy: Privacy
  ownerId: string
  people: Record<Viewer | typeof VISITOR, Client>
  invite: string
}

async function stageOf(privacy: Privacy): Promise<Stage> {
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE', name: NAME })
  const elsewhere = await memorialOf({ privacy: 'INVITE' })
  const foreign = await contributorOf(elsewhere.owner, elsewhere.memorial.id)
  const withForeignToken = new Client()
  const rotated = await contributorOf(owner, memorial.id, 'Before Rotation')
  await owner.post(`/api/memorials/${memorial.id}/invite-link/rotate`)
  const visitor = await visitorOf(owner, memorial)
  await owner.patch(`/api/memorials/${memorial.id}/privacy`, { privacy: 'INVITE' })
  const people = {
    [VISITOR]: visitor,
    anonymous: new Client(),
    stranger: await signedIn(),
    'contributor of another memorial': withForeignToken,
    guest: await contributorOf(owner, memorial.id, 'Guest Visitor'),
    contributor: await contributorOf(owner, memorial.id),
    'contributor after rotation': rotated,
    'holder of the link': new Client(),
    owner,
    'owner of another memorial': elsewhere.owner,
    admin: await signedIn({ admin: true }),
    keeper: await keeperOf(owner, memorial.id, 'KEEPER'),
    helper: await keeperOf(owner, memorial.id, 'HELPER'),
  }
  withForeignToken.cookies.set(`contributor-${memorial.id}`, foreign.session.authToken)
  const invite = await inviteTokenOf(owner, memorial.id)
  await owner.put(`/api/memorials/${memorial.id}/location`, { latitude: LATITUDE, longitude: 31 })
  await owner.patch(`/api/memorials/${memorial.id}/privacy`, { privacy })
  await withProgramme(memorial.id)
  return { memorial, privacy, ownerId: owner.user.id, people, invite }
}

const at = Date.now()

async function withProgramme(memorialId: string): Promise<void> {
  const key = `m/${memorialId}/${newId('file')}`
  const { env, db } = testCtx()
  await env.MEDIA.put(key, '%PDF-1.7')
  await db.insert(funeralEvents).values({
    ...serviceRow(memorialId, 1),
    programmeKey: key,
    programmeName: 'programme.pdf',
    programmeSize: 8,
  })
}

function serviceRow(memorialId: string, position: number) {
  return {
    id: newId('funeralEvent'),
    memorialId,
    position,
    dateTime: at,
    timeZone: 'Africa/Harare',
    createdAt: at,
    updatedAt: at,
  }
}

/** A fourth service, a comment and a recording by the owner, and two removed items, all new. */
async function fixtureOf({ memorial, privacy, ownerId }: Stage): Promise<Fixture> {
  const { env, db } = testCtx()
  const memorialId = memorial.id
  const event = { ...serviceRow(memorialId, 4), dateTime: at + DAY_MS, takesReplies: true }
  const mediaId = newId('media')
  const objectKey = `m/${memorialId}/${mediaId}`
  const commentId = newId('comment')
  await env.MEDIA.put(objectKey, 'sound')
  const removedPhotoId = newId('media')
  const removedCommentId = newId('comment')
  const photoKey = `m/${memorialId}/${removedPhotoId}`
  await env.MEDIA.put(photoKey, 'photo')
  await env.MEDIA.put(`${photoKey}/w320.webp`, 'small', { httpMetadata: { contentType: 'image/webp' } })
  const removed = {
    memorialId,
    removedBy: ownerId,
    isByAdmin: false,
    wasCover: false,
    wasPortrait: false,
    likes: [],
    removedAt: at,
  }
  const photo = {
    type: 'IMAGE',
    mimeType: 'image/jpeg',
    size: 5,
    originalFileName: 'a.jpg',
    hasThumbnail: true,
  } as const
  const comment = { memorialId, body: 'x', authorUserId: ownerId, createdAt: at }
  await db.batch([
    db
      .delete(funeralEvents)
      .where(and(eq(funeralEvents.memorialId, memorialId), eq(funeralEvents.position, 4))),
    db.insert(funeralEvents).values(event),
    db
      .insert(comments)
      .values({ id: commentId, memorialId, body: 'x', authorUserId: ownerId, createdAt: at }),
    db.insert(media).values({
      id: mediaId,
      memorialId,
      type: 'AUDIO',
      mimeType: 'audio/mpeg',
      size: 5,
      originalFileName: 'voice.mp3',
      objectKey,
      createdAt: at,
    }),
    db.insert(removedItems).values([
      {
        ...removed,
        id: removedPhotoId,
        objectKey: photoKey,
        bytes: 5,
        item: { ...photo, id: removedPhotoId, memorialId, objectKey: photoKey, createdAt: at },
      },
      { ...removed, id: removedCommentId, bytes: 0, item: { ...comment, id: removedCommentId } },
    ]),
  ])
  return {
    id: memorialId,
    slug: memorial.slug,
    privacy,
    eventId: event.id,
    commentId,
    mediaId,
    removedPhotoId,
    removedCommentId,
  }
}

async function ask(
  client: Client,
  name: keyof typeof api,
  call: Call,
  fixture: Fixture,
  invite: string | null,
) {
  const path = call.path(fixture) + (invite === null ? '' : `?invite=${invite}`)
  const { method } = api[name]
  const response = call.form
    ? await client.fetch(path, { method, body: new FormData() })
    : await client.request(method, path, call.body?.(fixture))
  const text = new TextDecoder().decode(await response.arrayBuffer())
  return {
    status: response.status,
    text,
    wrong: [
      ...headerProblems(response, 'call'),
      ...(response.status >= 400 ? errorBodyProblems(response.status, text) : []),
    ],
  }
}

/** Makes every call of the table as this viewer, on new records, except those to `skip`. */
async function* askEverything(
  stage: Stage,
  viewer: Viewer | typeof VISITOR,
  skip: ReadonlySet<string> = new Set(),
) {
  const fixture = await fixtureOf(stage)
  const invite = viewer === 'holder of the link' ? stage.invite : null
  for (const [name, row] of Object.entries(TABLE) as [keyof typeof api, Call & Row][]) {
    if (!skip.has(name)) yield { name, ...(await ask(stage.people[viewer], name, row, fixture, invite)) }
  }
}

/** Makes every call of the table as these viewers of one new memorial. */
export async function callEverything(privacy: Privacy, viewers: readonly Viewer[]): Promise<void> {
  const stage = await stageOf(privacy)
  for (const viewer of viewers) for await (const _ of askEverything(stage, viewer));
}

/**
 * Makes every call of the table as every viewer of one new memorial and compares all answers with the table at once. An owner
 * whose account was suspended afterwards is treated like an anonymous visitor.
 */
export async function expectAccess(privacy: Privacy): Promise<void> {
  const stage = await stageOf(privacy)
  const answered: Record<string, number[]> = {}
  const leaks: string[] = []
  for (const viewer of [...VIEWERS, VISITOR] as const) {
    const mayEdit = ['owner', 'admin', 'keeper'].includes(viewer)
    for await (const { name, status, text, wrong } of askEverything(stage, viewer)) {
      answered[name] = [...(answered[name] ?? []), status]
      leaks.push(...wrong.map((what) => `${viewer}: ${name} answered ${what}`))
      if (status >= 400 && text.includes(NAME)) leaks.push(`${viewer}: ${name} refused with a name`)
      if (!mayEdit && text.includes(String(LATITUDE))) leaks.push(`${viewer}: ${name} revealed the location`)
    }
  }
  expect(answered).toEqual(
    Object.fromEntries(
      Object.entries(TABLE).map(([name, row]) => {
        const cells = row[privacy]
        const isLikeContributor = privacy === 'LOCKED' && !NOT_FOR_VISITORS.has(name)
        return [name, [...cells, cells[VIEWERS.indexOf(isLikeContributor ? 'contributor' : 'anonymous')]]]
      }),
    ),
  )
  expect((await stage.people.admin.post(`/api/admin/users/${stage.ownerId}/suspend`)).status).toBe(200)
  for await (const { name, status } of askEverything(stage, 'owner')) {
    if (status !== answered[name]?.[0]) leaks.push(`suspended owner: ${name} ${status}`)
  }
  expect(leaks).toEqual([])
}

/**
 * The audit log after each call of the table that an admin makes on a new memorial; calls that leave no row are
 * omitted.
 */
export async function auditedByCall(privacy: Privacy): Promise<Record<string, string[]>> {
  const stage = await stageOf(privacy)
  const isHere = eq(auditLog.memorialId, stage.memorial.id)
  const audited: Record<string, string[]> = {}
  for await (const { name } of askEverything(stage, 'admin')) {
    const rows = await testCtx().db.delete(auditLog).where(isHere).returning({ action: auditLog.action })
    if (rows.length > 0) audited[name] = rows.map(({ action }) => action)
  }
  return audited
}

const OF_DELETED: ReadonlySet<string> = new Set(['restoreMemorial', 'exportPlan', 'memorialExport'])

/** Makes every call on a hidden memorial: for everybody but admins it does not exist; admins still see it. */
export async function expectHidden(status: 'REMOVED' | 'DELETED', privacy: Privacy): Promise<void> {
  const stage = await stageOf(privacy)
  const { id } = stage.memorial
  await testCtx().db.update(memorials).set({ status, deletedAt: at }).where(eq(memorials.id, id))
  const shown: string[] = []
  for (const viewer of [...VIEWERS, VISITOR] as const) {
    if (viewer === 'admin') continue
    // The owner may restore or export a deleted memorial.
    const skip = viewer === 'owner' && status === 'DELETED' ? OF_DELETED : undefined
    for await (const answer of askEverything(stage, viewer, skip)) {
      const what = `${viewer}: ${answer.name}`
      if (answer.status !== 404 && answer.status !== 401) shown.push(`${what} ${answer.status}`)
      if (answer.text.includes(NAME)) shown.push(`${what} revealed the name`)
      shown.push(...answer.wrong.map((problem) => `${what} answered ${problem}`))
    }
  }
  expect(shown).toEqual([])
  expect((await stage.people.admin.get(`/api/memorials/${id}`)).body.memorial.status).toBe(status)
}
