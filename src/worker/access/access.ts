import { handoverRefusals } from '#shared/keepers/handover-refusals.ts'
import { AppError, type ErrorCode } from '#shared/errors.ts'
import { followMessages } from '#shared/memorials/follow-messages.ts'
import { messages } from '#shared/messages.ts'
import type { KeeperRole } from '#shared/keepers/keepers.ts'
import {
  isOfFamily,
  type MayAsk,
  type MemorialStatus,
  type Privacy,
  type ViewerRole,
  type VisitorMessages,
} from '#shared/memorials/memorials.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

/** Who makes the request, in relation to one memorial. */
export type Viewer = {
  user: { id: string; isAdmin: boolean } | null
  /** The user looks after this memorial with its owner. `contributor` is then the one under whose name they add. */
  keeper: { role: KeeperRole; mayExport: boolean } | null
  /** A live contributor session for this memorial. */
  contributor: { id: string; isGuest: boolean; isVisitor: boolean } | null
  /** The request contains the memorial's live invitation token. */
  hasInvite: boolean
}

export type AccessSubject = {
  ownerId: string
  privacy: Privacy
  status: MemorialStatus
  visitorMessages: VisitorMessages
  mayAsk: MayAsk
  isPaid: boolean
  /** It has just been handed over: its former owner can take it back. */
  canBeTakenBack: boolean
}
/**
 * `view`: read the memorial. `edit`: the owner, keepers, and admins with an audit entry. `contribute`: add media or comments. `approve`: decide about
 * what waits; helpers, too. `deleteForGood`: what nobody can restore. `manageKeepers`: say who looks after the memorial; the owner only. `seeKeepers`: read who does. `seeSuccessors`: read who
 * may ask for it after its owner; the owner and admins.
 * `readPrivate`: read what only editors may see. `deleteMemorial`: the owner only (an admin removes instead).
 * `leaveMessage`: leave words on the public page, also without an invitation. `follow`: ask for mails about it. `markSeen`: note that they have looked. `restoreMemorial`: undo a deletion. `export`: download everything with originals; the owner, also after
 * deleting it, and a keeper whom the owner allows it.
 */
export type Action =
  | 'view'
  | 'edit'
  | 'approve'
  | 'contribute'
  | 'leaveMessage'
  | 'readPrivate'
  | 'deleteForGood'
  | 'deleteMemorial'
  | 'markSeen'
  | 'restoreMemorial'
  | 'export'
  | 'seeKeepers'
  | 'manageKeepers'
  | 'follow'
  | 'seeSuccessors'
/** `canAsk`: whoever is refused may ask the family to be let in. */
type Refusal = { code: ErrorCode; message: string; canAsk?: true }
export type Access = {
  role: ViewerRole
  canView: boolean
  canEdit: boolean
  canContribute: boolean
  /** Decides about what waits, and sees it. */
  canApprove: boolean
  /** Sees what the family shows only to people whom they invited. */
  isInvited: boolean
  /** Why `action` is refused, or null. */
  refuse: (action: Action) => Refusal | null
  /** Why changing an item of this contributor (null: of the owner) is refused, or null. */
  refuseChange: (addedBy: string | null) => Refusal | null
  /** Why removing it is refused, or null. Contributors may also remove their own once the memorial is public. */
  refuseRemoval: (addedBy: string | null) => Refusal | null
  /** Why deleting it for good is refused, or null. Keepers delete only their own. */
  refuseForGood: (addedBy: string | null) => Refusal | null
}

const OWNER_ONLY: Refusal = { code: 'forbidden', message: messages.memorial.ownerOnly }
const NOT_YET: Refusal = { code: 'conflict', message: handoverRefusals.notYet }
const FAMILY_SEES: Refusal = { code: 'forbidden', message: followMessages.family }
const NOT_FOUND: Refusal = { code: 'not_found', message: messages.memorial.notFound }

export function throwIfRefused(refusal: Refusal | null): void {
  if (refusal) throw new AppError(refusal.code, refusal.message)
}

/** Decides who may do what with a memorial. Pure, and used by every route, media and files included. */
export function decideAccess(viewer: Viewer, memorial: AccessSubject): Access {
  const role = roleOf(viewer, memorial)
  const isGone = memorial.status === 'DELETED' || memorial.status === 'REMOVED'
  const isOwnerOrAdmin = role === 'OWNER' || role === 'ADMIN'
  const mayEdit = isOwnerOrAdmin || /* prove: keepers-edit */ role === 'KEEPER'
  const viewRefusal = refuseView(role, viewer, memorial, isGone)
  const contributeRefusal = viewRefusal ?? refuseContribute(role, viewer, memorial)
  const editRefusal = isGone && role !== 'ADMIN' ? NOT_FOUND : mayEdit ? null : refuseEdit(viewer)

  const isOwn = (addedBy: string | null) =>
    addedBy !== null && /* prove: change-own-only */ addedBy === viewer.contributor?.id
  // prove: keepers-do-not-own
  const ownerRefusal = editRefusal ?? (role === 'OWNER' ? null : OWNER_ONLY)
  const notYet = refuseYet(role, memorial)
  const approveRefusal = role === 'HELPER' ? viewRefusal : editRefusal
  const refusals: Record<Action, Refusal | null> = {
    view: viewRefusal,
    edit: editRefusal,
    approve: approveRefusal,
    seeKeepers: approveRefusal,
    manageKeepers: ownerRefusal,
    contribute: contributeRefusal,
    leaveMessage: viewRefusal ?? refuseLeave(role, memorial),
    /* prove: replies-for-editors */ readPrivate: editRefusal,
    /* prove: keepers-delete-nothing-for-good */ deleteForGood:
      editRefusal ?? (isOwnerOrAdmin ? notYet : OWNER_ONLY),
    /* prove: keepers-see-no-successors */ seeSuccessors: editRefusal ?? (isOwnerOrAdmin ? null : OWNER_ONLY),
    deleteMemorial: ownerRefusal ?? notYet,
    markSeen: isOfFamily(role) ? viewRefusal : (editRefusal ?? OWNER_ONLY),
    restoreMemorial: refuseRestore(isOwnerOrAdmin, memorial, isGone),
    // Who looks after it sees what is new there.
    follow: viewRefusal ?? (isOfFamily(role) || role === 'ADMIN' ? FAMILY_SEES : null),
    export: refuseExport(role, viewer, memorial, editRefusal),
  }
  const refuseRemoval = (addedBy: string | null) => (mayEdit || !isOwn(addedBy) ? editRefusal : viewRefusal)
  return {
    role,
    canView: viewRefusal === null,
    canEdit: editRefusal === null,
    canContribute: contributeRefusal === null,
    canApprove: approveRefusal === null,
    isInvited: viewRefusal === null && (mayEdit || isInvited(viewer)),
    refuse: (action) => refusals[action],
    refuseChange: (addedBy) => (mayEdit || !isOwn(addedBy) ? editRefusal : contributeRefusal),
    refuseRemoval,
    refuseForGood: (addedBy) => (isOwn(addedBy) ? refuseRemoval(addedBy) : refusals.deleteForGood),
  }
}

function roleOf(viewer: Viewer, memorial: AccessSubject): ViewerRole {
  if (viewer.user?.id === memorial.ownerId) return 'OWNER'
  if (viewer.user?.isAdmin) return 'ADMIN'
  if (viewer.keeper) return viewer.keeper.role
  // A guest also has a contributor session but may only view.
  if (viewer.contributor && !viewer.contributor.isGuest) return 'CONTRIBUTOR'
  return 'VISITOR'
}

/** By a live invitation. Who left words on the public page has none. */
function isInvited({ contributor, hasInvite }: Viewer): boolean {
  return hasInvite || (contributor !== null && /* prove: visitors-not-invited */ !contributor.isVisitor)
}

function refuseView(
  role: ViewerRole,
  viewer: Viewer,
  memorial: AccessSubject,
  isGone: boolean,
): Refusal | null {
  if (role === 'ADMIN') return null
  // prove: removed-memorial-hidden
  if (isGone) return NOT_FOUND
  if (isOfFamily(role)) return null
  // prove: private-memorial-hidden
  if (memorial.privacy === 'PRIVATE')
    return { code: 'memorial_private', message: messages.memorial.private, ...askingOf(memorial) }
  if (memorial.privacy === 'LOCKED' || viewer.contributor || viewer.hasInvite) return null
  return {
    code: 'invitation_needed',
    message: serverMessages.memorial.invitationNeeded,
    ...askingOf(memorial),
  }
}

/** The same rule as {@link takesRequests}. */
function askingOf({ privacy, mayAsk, isPaid }: AccessSubject): Pick<Refusal, 'canAsk'> {
  const isAsked = mayAsk === 'ALSO_PRIVATE' || (mayAsk === 'INVITE_ONLY' && privacy === 'INVITE')
  return isAsked && isPaid ? { canAsk: true } : {}
}

function refuseContribute(role: ViewerRole, viewer: Viewer, memorial: AccessSubject): Refusal | null {
  // prove: locked-memorial-closed
  if (memorial.privacy === 'LOCKED') return { code: 'memorial_locked', message: messages.memorial.locked }
  if (isOfFamily(role) || role === 'CONTRIBUTOR') return null
  if (role === 'ADMIN') return OWNER_ONLY
  if (viewer.contributor || viewer.hasInvite) {
    return { code: 'name_required', message: serverMessages.contributor.nameFirst }
  }
  return { code: 'invitation_needed', message: serverMessages.memorial.invitationNeeded }
}

function refuseLeave(role: ViewerRole, { privacy, visitorMessages }: AccessSubject): Refusal | null {
  const isOpen = privacy === 'LOCKED' && visitorMessages !== 'NOBODY'
  if (!isOpen) return { code: 'memorial_locked', message: messages.visitors.closed }
  return isOfFamily(role) || role === 'ADMIN'
    ? { code: 'memorial_locked', message: messages.memorial.locked }
    : null
}

function refuseEdit(viewer: Viewer): Refusal {
  if (!viewer.user && !viewer.contributor) return { code: 'not_signed_in', message: messages.login.needed }
  return OWNER_ONLY
}

/** The new owner destroys nothing while the former one can take the memorial back. */
function refuseYet(role: ViewerRole, { canBeTakenBack }: AccessSubject): Refusal | null {
  // prove: new-owner-destroys-nothing
  if (role === 'OWNER' && canBeTakenBack) return NOT_YET
  return null
}

function refuseRestore(mayEdit: boolean, memorial: AccessSubject, isGone: boolean): Refusal | null {
  if (memorial.status === 'DELETED' && mayEdit) return null
  return mayEdit && !isGone ? { code: 'conflict', message: messages.memorial.restored } : NOT_FOUND
}

/** A memorial that an admin removed can't be exported while it's removed. */
function refuseExport(
  role: ViewerRole,
  { keeper }: Viewer,
  memorial: AccessSubject,
  editRefusal: Refusal | null,
): Refusal | null {
  const isAllowed = role === 'KEEPER' && /* prove: export-if-allowed */ keeper?.mayExport === true
  // prove: export-owner-only
  if (role !== 'OWNER' && !isAllowed) return editRefusal ?? OWNER_ONLY
  // prove: deleted-is-not-exported-by-keepers
  if (isAllowed && editRefusal) return editRefusal
  return memorial.status === 'REMOVED' ? NOT_FOUND : null
}
