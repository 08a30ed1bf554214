import { familyActionsQuery, type FamilyActionPage } from './admin/family-actions.ts'
import {
  handoverInput,
  keeperInviteInput,
  keeperRightsInput,
  type KeeperInviteMade,
  type KeeperList,
  type OpenedKeeperInvite,
} from './keepers/keepers.ts'
import {
  successionInput,
  successorInput,
  type Claimable,
  type Succession,
  type SuccessionCasePage,
} from './keepers/successors.ts'
import {
  changeEmailInput,
  changePasswordInput,
  deleteAccountInput,
  emailInput,
  emailLinkInput,
  loginInput,
  registerInput,
  resetPasswordInput,
  updateAccountInput,
  verifyEmailInput,
  endInvitationsInput,
  type AccountSession,
  type User,
  contactInput,
} from './accounts/accounts.ts'
import {
  adminCursorQuery,
  adminPageQuery,
  contactMessagesQuery,
  generateTokensInput,
  saveWordInput,
  type WordRule,
  refundInput,
  removeMemorialInput,
  type Activity,
  type AdminDeadJob,
  type AdminDeadJobPage,
  type AdminMail,
  type AdminMailPage,
  type AdminMemorial,
  type AdminMemorialPage,
  type AdminOverview,
  type AdminOwner,
  type AdminPayment,
  type AdminPaymentPage,
  type AdminStats,
  type AuditEntry,
  type AuditPage,
  type ContactMessage,
  type ContactMessagePage,
  type SystemState,
  type TokenPool,
} from './admin/admin.ts'
import {
  commentsQuery,
  postCommentInput,
  proofInput,
  thankInput,
  visitorMessageInput,
  type Comment,
  type CommentLikes,
  type CommentPage,
  type VisitorWords,
} from './comments/comments.ts'
import { endpoint } from './endpoint.ts'
import { exportQuery, type ExportPlan } from './export.ts'
import { followInput, type FollowerCount } from './memorials/follow.ts'
import {
  announcementCardQuery,
  calendarQuery,
  funeralEventInput,
  icsQuery,
  updateFuneralEventInput,
  type FuneralEvent,
} from './funeral/funeral.ts'
import { clientErrorInput, type Health } from './admin/health.ts'
import {
  contributorSessionInput,
  invitationInput,
  type ContributorSession,
  type Invitation,
  type InviteCard,
} from './invites/invites.ts'
import { letInDecisionInput, letInRequestInput } from './invites/let-in.ts'
import { CLIENT_ERROR_BODY_MAX_BYTES, LIFE_STORY_BODY_MAX_BYTES } from './limits.ts'
import { locationInput, type MemorialLocation, type MemorialQr } from './memorials/location.ts'
import { plaqueQuery, type Plaque } from './memorials/plaque.ts'
import {
  mediaPageQuery,
  streamQuery,
  updateMediaInput,
  type Media,
  type MediaPage,
  type MediaUploaded,
  type UploadState,
} from './media/media.ts'
import {
  createMemorialInput,
  deleteMemorialInput,
  inviteQuery,
  updateMemorialInput,
  updatePrivacyInput,
  type Dashboard,
  type HiddenMemorials,
  type Memorial,
  type MemorialView,
  type PublicMemorialView,
} from './memorials/memorials.ts'
import { mobilePaymentInput, paymentCodeInput } from './payments/local-payment-inputs.ts'
import {
  appCodeInput,
  confirmInput,
  newPasskeyInput,
  passkeyInput,
  passkeyNameInput,
  printedCodeInput,
  type AccountKeys,
  type NewAuthenticator,
  type Passkey,
  type PasskeyCreation,
  type PasskeyRequest,
} from './accounts/passkeys.ts'
import { paymentTargetInput, type Payment, type PaymentIntent } from './payments/payments.ts'
import {
  askToPayInput,
  giftInput,
  payerByPhoneInput,
  payerInput,
  payLinkQuery,
  redeemInput,
  thanksInput,
  type Gift,
  type PayLink,
  type PayLinkView,
} from './payments/pay-links.ts'
import {
  repliesQuery,
  replyInput,
  type LinkedReply,
  type Reply,
  type ReplyCounts,
  type ReplyPage,
} from './replies/replies.ts'
import { addressInput, codeInput, codeRequestInput, type Recovered } from './invites/recovery.ts'
import { contributorsQuery, type ContributorPage } from './invites/contributors.ts'
import {
  decidedQuery,
  heldInput,
  listHeldQuery,
  undoHeldInput,
  type Decided,
  type DecidedPage,
  type HeldItems,
} from './removal/held.ts'
import {
  keepReportedInput,
  reportedQuery,
  reportInput,
  type AdminReportPage,
  type ReportedPage,
} from './removal/reports.ts'
import {
  deleteQuery,
  removeAddedInput,
  removedQuery,
  type BulkRemoval,
  type BulkRestored,
  type RemovedPage,
} from './removal/removed.ts'

type Message = { message: string }

/** Every call of the API. Handlers of multipart and binary calls read the stream themselves. */
export const api = {
  // Accounts
  currentUser: endpoint('GET', '/api/auth/user')<User>(),
  register: endpoint('POST', '/api/auth/register', { body: registerInput, status: 201 })<Message>(),
  login: endpoint('POST', '/api/auth/login', { body: loginInput })<Message & { user: User }>(),
  logout: endpoint('POST', '/api/auth/logout')<Message>(),
  /**
   * Opens the link of a verification mail. Confirms the address in the browser that registered (by its cookie). Anywhere else
   * it changes nothing: `verifyEmail` confirms with a name and a password.
   */
  openVerificationLink: endpoint('GET', '/api/auth/verify-email/:token')<Message | { needsPassword: true }>(),
  /** Confirms an address with the token of its link; voids all other registrations of the address. */
  verifyEmail: endpoint('POST', '/api/auth/verify-email', { body: verifyEmailInput })<Message>(),
  resendVerification: endpoint('POST', '/api/auth/resend-verification', { body: emailInput })<Message>(),
  forgotPassword: endpoint('POST', '/api/auth/forgot-password', { body: emailInput })<Message>(),
  resetPassword: endpoint('POST', '/api/auth/reset-password', { body: resetPasswordInput })<Message>(),
  /**
   * With the token that has just set a new password: ends all sessions, and all invitation links, links for keepers and offers to
   * hand over the account's memorials, in case somebody else used the account.
   */
  endInvitations: endpoint('POST', '/api/auth/end-invitations', { body: endInvitationsInput })<Message>(),
  /** Confirms one of the two addresses of a change. With the second, the address changes; the old one can undo that for 7 days. */
  confirmEmailChange: endpoint('POST', '/api/auth/confirm-email', { body: emailLinkInput })<{
    isChanged: boolean
  }>(),
  /** Gives an account its old address back, ends all sessions and the password, and mails a reset link there. */
  undoEmailChange: endpoint('POST', '/api/auth/undo-email', { body: emailLinkInput })<Message>(),
  updateAccount: endpoint('PATCH', '/api/account', { body: updateAccountInput })<User>(),
  /** Mails a link to the old and to the new address, and says the same whoever has the new one. */
  changeEmail: endpoint('POST', '/api/account/email', { body: changeEmailInput })<Message>(),
  changePassword: endpoint('POST', '/api/account/password', { body: changePasswordInput })<Message>(),
  /** Where the account is signed in: the asking session first, then those used last. */
  accountSessions: endpoint('GET', '/api/account/sessions')<{ sessions: AccountSession[] }>(),
  /** Ends another session of the account, at once. */
  endAccountSession: endpoint('DELETE', '/api/account/sessions/:sessionId')<Message>(),
  /** Ends all sessions of the account but the asking one, which gets a new cookie. */
  endOtherSessions: endpoint('POST', '/api/account/sessions/end-others')<Message>(),
  signOutEverywhere: endpoint('POST', '/api/account/sign-out-everywhere')<Message>(),
  /** What a browser needs to ask for a passkey at sign-in: the same for everybody. Sets a cookie for 5 minutes. */
  passkeyRequest: endpoint('POST', '/api/auth/passkey/request')<PasskeyRequest>(),
  signInByPasskey: endpoint('POST', '/api/auth/passkey', { body: passkeyInput })<Message & { user: User }>(),
  /** How the account can be opened besides its password. */
  accountKeys: endpoint('GET', '/api/account/keys')<AccountKeys>(),
  /** Proves for 5 minutes that it's the user: without it, `preparePasskey` and other changes of keys answer 403 `confirmation_needed`. */
  confirmByPassword: endpoint('POST', '/api/account/confirm', { body: confirmInput })<Message>(),
  /** What a browser needs to ask the user for one of their passkeys. */
  confirmRequest: endpoint('POST', '/api/account/confirm/passkey-request')<PasskeyRequest>(),
  confirmByPasskey: endpoint('POST', '/api/account/confirm/passkey', { body: passkeyInput })<Message>(),
  /** What a browser needs to make a passkey. */
  preparePasskey: endpoint('POST', '/api/account/passkeys/prepare')<PasskeyCreation>(),
  addPasskey: endpoint('POST', '/api/account/passkeys', { body: newPasskeyInput, status: 201 })<
    Message & { passkey: Passkey }
  >(),
  renamePasskey: endpoint('PATCH', '/api/account/passkeys/:passkeyId', { body: passkeyNameInput })<
    Message & { passkey: Passkey }
  >(),
  removePasskey: endpoint('DELETE', '/api/account/passkeys/:passkeyId')<Message>(),
  /** Signs in with an address and one of its printed codes, which works once, and sets a new password. */
  signInByPrintedCode: endpoint('POST', '/api/auth/printed-code', { body: printedCodeInput })<
    Message & { user: User }
  >(),
  /** Ten new codes in place of all earlier ones. They are shown once: we don't store them. */
  makePrintedCodes: endpoint('POST', '/api/account/printed-codes', { status: 201 })<{ codes: string[] }>(),
  /** A secret for an admin's authenticator app. Sets a cookie, for `addAuthenticator`. */
  prepareAuthenticator: endpoint('POST', '/api/account/authenticator/prepare')<NewAuthenticator>(),
  addAuthenticator: endpoint('POST', '/api/account/authenticator', {
    body: appCodeInput,
    status: 201,
  })<Message>(),
  removeAuthenticator: endpoint('DELETE', '/api/account/authenticator')<Message>(),
  /** An admin's second factor for this session: without it, or a passkey, admin calls answer 403 `second_factor_needed`. */
  useAuthenticator: endpoint('POST', '/api/account/second-factor', { body: appCodeInput })<Message>(),
  /**
   * Hides the account and its memorials at once. Signing in before `restorableUntil` (an instant) restores them. A paid memorial with
   * keepers needs a choice, and can go to one of them for good. 409 `conflict`.
   */
  deleteAccount: endpoint('DELETE', '/api/account', { body: deleteAccountInput })<
    Message & { restorableUntil: string }
  >(),
  /** All data that we hold about the caller, as a JSON file. */
  exportAccount: endpoint('GET', '/api/account/export')<never>(),

  // Memorials
  dashboard: endpoint('GET', '/api/dashboard')<Dashboard>(),
  /** Memorials that the owner can still restore, last deleted first, and those that an admin removed, newest first. */
  deletedMemorials: endpoint('GET', '/api/dashboard/deleted')<HiddenMemorials>(),
  createMemorial: endpoint('POST', '/api/memorials', { body: createMemorialInput, status: 201 })<Memorial>(),
  memorial: endpoint('GET', '/api/memorials/:id', { query: inviteQuery })<MemorialView>(),
  memorialBySlug: endpoint('GET', '/api/memorial/:slug', { query: inviteQuery })<PublicMemorialView>(),
  updateMemorial: endpoint('PATCH', '/api/memorials/:id', {
    body: updateMemorialInput,
    maxBodyBytes: LIFE_STORY_BODY_MAX_BYTES,
  })<Memorial>(),
  updatePrivacy: endpoint('PATCH', '/api/memorials/:id/privacy', { body: updatePrivacyInput })<Memorial>(),
  /** Its owner, keeper or helper has opened the memorial: their `news` counts from now on. */
  markSeen: endpoint('POST', '/api/memorials/:id/seen', { status: 204 })<null>(),
  deleteMemorial: endpoint('DELETE', '/api/memorials/:id', { body: deleteMemorialInput })<Message>(),
  restoreMemorial: endpoint('POST', '/api/memorials/:id/restore')<Memorial>(),
  /**
   * Size and parts of "Download everything". For the owner, also of a deleted memorial while it can be restored, and for keepers whom the
   * owner allows it.
   */
  exportPlan: endpoint('GET', '/api/memorials/:id/export/plan')<ExportPlan>(),
  /**
   * A ZIP with the originals and all text, as JSON and as a page: docs/export-format.md. `?part=` from 1, `?state=`
   * from the plan.
   */
  memorialExport: endpoint('GET', '/api/memorials/:id/export', { query: exportQuery })<never>(),

  // Funeral
  saveFuneral: endpoint('PUT', '/api/memorials/:id/funeral', { body: funeralEventInput })<FuneralEvent>(),
  funeralEvents: endpoint('GET', '/api/memorials/:id/funeral-events', { query: inviteQuery })<{
    funeralEvents: FuneralEvent[]
  }>(),
  addFuneralEvent: endpoint('POST', '/api/memorials/:id/funeral-events', {
    body: funeralEventInput,
    status: 201,
  })<FuneralEvent>(),
  updateFuneralEvent: endpoint('PATCH', '/api/memorials/:id/funeral-events/:eventId', {
    body: updateFuneralEventInput,
  })<FuneralEvent>(),
  deleteFuneralEvent: endpoint('DELETE', '/api/memorials/:id/funeral-events/:eventId', {
    status: 204,
  })<null>(),
  /** Multipart `file`, optional `eventId` (default: the first service). */
  uploadProgramme: endpoint('POST', '/api/memorials/:id/funeral-program', { status: 201 })<FuneralEvent>(),
  /** `?event=` selects the service; the default is the first one with a programme. */
  programme: endpoint('GET', '/api/memorials/:id/funeral-program', { query: icsQuery })<never>(),
  /** An iCalendar file; with `?feed=1` for calendars that ask again every hour. */
  calendar: endpoint('GET', '/api/memorials/:id/funeral.ics', { query: calendarQuery })<never>(),
  /**
   * A picture to forward (JPEG): of the announcement, or of one gathering that is ahead (`event`). The same for everybody: it
   * never shows a gathering for invited people.
   */
  announcementCard: endpoint('GET', '/api/memorials/:id/announcement-card', {
    query: announcementCardQuery,
  })<never>(),

  // Replies
  /**
   * Says who comes. The browser gets a cookie, by which `ownReplies` shows the reply and `changeReply` changes it; so does a link that is mailed to an
   * `email`, with a calendar file. 409 `gathering_full`, `replies_closed`.
   */
  sendReply: endpoint('POST', '/api/memorials/:id/funeral-events/:eventId/replies', {
    query: inviteQuery,
    body: replyInput,
    status: 201,
  })<{ reply: Reply; isMailed?: true; isInGuestbook?: true }>(),
  /** What this browser has sent, by its cookie; the gathering that comes first is first. */
  ownReplies: endpoint('GET', '/api/memorials/:id/own-replies', { query: inviteQuery })<{
    replies: Reply[]
  }>(),
  /** `:reply` is the end of a mailed link. */
  replyByLink: endpoint('GET', '/api/replies/:reply')<LinkedReply>(),
  /** `:reply` is the end of a mailed link, or an id if the browser's cookie says that it sent the reply. */
  changeReply: endpoint('PUT', '/api/replies/:reply', { body: replyInput })<{ reply: Reply }>(),
  withdrawReply: endpoint('DELETE', '/api/replies/:reply', { status: 204 })<null>(),
  /** Numbers of replies to each gathering, in time order. */
  replyCounts: endpoint('GET', '/api/memorials/:id/replies')<{ counts: ReplyCounts[] }>(),
  /** Newest first. */
  listReplies: endpoint('GET', '/api/memorials/:id/funeral-events/:eventId/replies', {
    query: repliesQuery,
  })<ReplyPage>(),
  /** All replies to a gathering, as a table. */
  repliesFile: endpoint('GET', '/api/memorials/:id/funeral-events/:eventId/replies.csv')<never>(),
  removeReply: endpoint('DELETE', '/api/memorials/:id/replies/:replyId', { status: 204 })<null>(),
  /** Mails the present time and place to whom `toTell` counts, once. The family has told those without an address. */
  tellReplies: endpoint('POST', '/api/memorials/:id/funeral-events/:eventId/tell')<{ told: number }>(),

  // Location
  saveLocation: endpoint('PUT', '/api/memorials/:id/location', { body: locationInput })<MemorialLocation>(),
  /** A map image of the burial place. The Worker fetches it, so the map provider learns nothing about visitors. */
  locationMap: endpoint('GET', '/api/memorials/:id/location/map', { query: inviteQuery })<never>(),
  locationQr: endpoint('POST', '/api/memorials/:id/location/qr')<MemorialQr>(),
  /** The plaque for the grave, as files for the engraver. */
  plaque: endpoint('GET', '/api/memorials/:id/plaque', { query: plaqueQuery })<Plaque>(),

  // Media
  /** Multipart `file`, `type`, optional `contributorToken`. */
  uploadMedia: endpoint('POST', '/api/memorials/:id/media/upload', { status: 201 })<MediaUploaded>(),
  /** Multipart `file`. */
  uploadProfileImage: endpoint('POST', '/api/memorials/:id/profile-image', { status: 201 })<MediaUploaded>(),
  /** The supported parts of tus 1.0: https://tus.io/protocols/resumable-upload */
  uploadOptions: endpoint('OPTIONS', '/api/memorials/:id/uploads', { status: 204 })<null>(),
  /** `Upload-Length`, `Upload-Metadata` (`filename`, `filetype`, `type`). Answers `Location` and `Upload-Expires`. */
  createUpload: endpoint('POST', '/api/memorials/:id/uploads', { status: 201 })<null>(),
  /** HEAD of tus: `Upload-Offset`, `Upload-Length`; `Nhaka-Media-Id` once the media item exists. */
  uploadState: endpoint('GET', '/api/memorials/:id/uploads/:uploadId')<UploadState>(),
  /**
   * One chunk, `application/offset+octet-stream`, at `Upload-Offset`. The answer to the last one has
   * `Nhaka-Media-Id`.
   */
  appendUpload: endpoint('PATCH', '/api/memorials/:id/uploads/:uploadId', { status: 204 })<null>(),
  deleteUpload: endpoint('DELETE', '/api/memorials/:id/uploads/:uploadId', { status: 204 })<null>(),
  listMedia: endpoint('GET', '/api/memorials/:id/media', { query: mediaPageQuery })<MediaPage>(),
  updateMedia: endpoint('PATCH', '/api/media/:id', { body: updateMediaInput })<Media>(),
  /**
   * The poster of a video: JPEG, PNG or WebP as the whole body, at most `POSTER_MAX_BYTES`. A new poster replaces the
   * old one. After that, `?thumbnail=1` and `?w=` of the stream return it.
   */
  uploadPoster: endpoint('PUT', '/api/media/:id/poster')<Media>(),
  /** Hides it at once; `restoreMedia` brings it back for 30 days, unless `?forever=1` deletes it for good. */
  deleteMedia: endpoint('DELETE', '/api/media/:id', { query: deleteQuery, status: 204 })<null>(),
  /** GET and HEAD, with ranges. A photo as its 1,920 pixel variant, videos and recordings as stored. */
  mediaStream: endpoint('GET', '/media/stream/:id', { query: streamQuery })<never>(),

  // Guestbook
  listComments: endpoint('GET', '/api/memorials/:id/comments', { query: commentsQuery })<CommentPage>(),
  postComment: endpoint('POST', '/api/memorials/:id/comments', { body: postCommentInput, status: 201 })<{
    comment: Comment
  }>(),
  /**
   * A message from a visitor of the public page, if the family lets them. Their browser gets a cookie, by which `deleteComment` takes the
   * message back; so does a link that is mailed to an `email`.
   */
  leaveMessage: endpoint('POST', '/api/memorial/:slug/visitor-messages', {
    body: visitorMessageInput,
    status: 201,
  })<{ comment: Comment; isLinkMailed?: true }>(),
  /** Shows that a browser did some work for a message that was held because many came at once. `isShown`: everybody sees it now. */
  proveMessage: endpoint('POST', '/api/memorial/:slug/visitor-messages/:id/proof', { body: proofInput })<{
    isShown: boolean
  }>(),
  /** What this browser has left by `leaveMessage`, also while only its author sees it. */
  visitorWords: endpoint('GET', '/api/memorial/:slug/visitor-messages')<VisitorWords>(),
  /** Hides it at once; `restoreComment` brings it back for 30 days, unless `?forever=1` deletes it for good. */
  deleteComment: endpoint('DELETE', '/api/comments/:id', { query: deleteQuery, status: 204 })<null>(),
  likeComment: endpoint('POST', '/api/comments/:id/like')<CommentLikes>(),
  unlikeComment: endpoint('DELETE', '/api/comments/:id/like')<CommentLikes>(),

  /** Marks a message with the family's thanks, which everybody sees beside it, or takes that back. */
  thankComment: endpoint('POST', '/api/comments/:id/thanks', { body: thankInput })<{ comment: Comment }>(),

  // Reports
  /**
   * Tells the family that something doesn't belong here. Everybody who sees the item may; the same person's second report of it
   * changes nothing. Reports from three people hide it until the family has decided.
   */
  reportComment: endpoint('POST', '/api/comments/:id/report', { body: reportInput })<Message>(),
  reportMedia: endpoint('POST', '/api/media/:id/report', { body: reportInput })<Message>(),
  /** What people reported and the family hasn't decided about. */
  listReported: endpoint('GET', '/api/memorials/:id/reports', { query: reportedQuery })<ReportedPage>(),
  /** Settles the reports of an item, and shows it again if they hid it. */
  keepReported: endpoint('POST', '/api/memorials/:id/reports/keep', {
    body: keepReportedInput,
    status: 204,
  })<null>(),

  // Removed media items and messages
  /** What the caller may restore: owner and keepers what anybody but an admin removed, contributors and helpers what they removed themselves. */
  listRemoved: endpoint('GET', '/api/memorials/:id/removed', { query: removedQuery })<RemovedPage>(),
  restoreMedia: endpoint('POST', '/api/media/:id/restore')<Media>(),
  restoreComment: endpoint('POST', '/api/comments/:id/restore')<{ comment: Comment }>(),
  /** What contributors added while `holdNew` was on, and the family hasn't shown yet. */
  listHeld: endpoint('GET', '/api/memorials/:id/held', { query: listHeldQuery })<HeldItems>(),
  /** Shows held items to everyone who may see the memorial; returns how many. */
  showHeld: endpoint('POST', '/api/memorials/:id/held/show', { body: heldInput })<
    Decided & { shown: number }
  >(),
  /** Keeps items for the family only. Their authors aren't told; after 30 days the items are deleted. */
  declineHeld: endpoint('POST', '/api/memorials/:id/held/decline', { body: heldInput })<
    Decided & { declined: number }
  >(),
  /** Items wait again whose showing or declining is less than 30 days old. */
  undoHeld: endpoint('POST', '/api/memorials/:id/held/undo', { body: undoHeldInput })<{ undone: number }>(),
  /** What was shown or declined in the last 30 days, last decided first. */
  listDecided: endpoint('GET', '/api/memorials/:id/held/decided', { query: decidedQuery })<DecidedPage>(),
  /** Hides everything that this person added, and holds what they add from now on. They see their own as before. */
  blockContributor: endpoint('POST', '/api/memorials/:id/contributors/:contributorId/block', {
    status: 204,
  })<null>(),
  /** Takes a block back: what was shown before it is shown again, everything else waits. */
  unblockContributor: endpoint('DELETE', '/api/memorials/:id/contributors/:contributorId/block', {
    status: 204,
  })<null>(),
  /** Removes everything that one contributor added, or that came by one link since an instant; null if there was nothing. */
  removeAdded: endpoint('POST', '/api/memorials/:id/removals', { body: removeAddedInput })<{
    removal: BulkRemoval | null
  }>(),
  /** Restores what one `removeAdded` removed, and only that. What has no place in a quota stays removed. */
  restoreAdded: endpoint('POST', '/api/memorials/:id/removals/:removalId/restore')<BulkRestored>(),
  /** Deletes for good what one `removeAdded` removed. */
  deleteAdded: endpoint('DELETE', '/api/memorials/:id/removals/:removalId', { status: 204 })<null>(),
  /** GET and HEAD: the thumbnail of a removed photo or video. */
  removedThumbnail: endpoint('GET', '/media/removed/:id', { query: inviteQuery })<never>(),

  // Invitations
  inviteLink: endpoint('GET', '/api/memorials/:id/invite-link')<{ inviteLink: string }>(),
  /** Who looks after the memorial with its owner. Open invitations and addresses for the owner only. */
  listKeepers: endpoint('GET', '/api/memorials/:id/keepers')<KeeperList>(),
  /** What each of those did who look after the memorial, newest first, for twelve months. */
  listFamilyActions: endpoint('GET', '/api/memorials/:id/family-actions', {
    query: familyActionsQuery,
  })<FamilyActionPage>(),
  /** Mails the link to `email`, or returns it, once. It works once, for seven days. 409 `too_many_keepers`, 402 `payment_required`. */
  inviteKeeper: endpoint('POST', '/api/memorials/:id/keeper-invites', {
    body: keeperInviteInput,
    status: 201,
  })<KeeperInviteMade>(),
  revokeKeeperInvite: endpoint('DELETE', '/api/memorials/:id/keeper-invites/:inviteId', {
    status: 204,
  })<null>(),
  changeKeeper: endpoint('PUT', '/api/memorials/:id/keepers/:keeperId', {
    body: keeperRightsInput,
  })<KeeperList>(),
  /** The owner removes anybody, everybody else themselves. What they added stays. */
  removeKeeper: endpoint('DELETE', '/api/memorials/:id/keepers/:keeperId', { status: 204 })<null>(),
  /** Offers the memorial to a keeper, who becomes its owner by accepting within 7 days. 403 `confirmation_needed`, 402 `payment_required`, 409 `conflict`. */
  offerHandover: endpoint('POST', '/api/memorials/:id/handover', {
    body: handoverInput,
    status: 204,
  })<null>(),
  /** The owner withdraws the offer, or the keeper declines it. */
  endHandover: endpoint('DELETE', '/api/memorials/:id/handover', { status: 204 })<null>(),
  acceptHandover: endpoint('POST', '/api/memorials/:id/handover/accept', { status: 204 })<null>(),
  /** Within 7 days, whoever handed the memorial over owns it again. */
  takeBackHandover: endpoint('POST', '/api/memorials/:id/handover/take-back', { status: 204 })<null>(),
  /** What the link of an invitation to look after a memorial offers. */
  keeperInvite: endpoint('GET', '/api/keeper-invites/:token')<OpenedKeeperInvite>(),
  /** 409 `conflict`: the memorial is theirs, or they look after it already. */
  acceptKeeperInvite: endpoint('POST', '/api/keeper-invites/:token/accept')<{ memorialId: string }>(),
  /** Who may ask for the memorial after its owner. For its owner and admins. */
  listSuccessors: endpoint('GET', '/api/memorials/:id/successors')<Succession>(),
  /** 402 `payment_required`, 409 `conflict` (named already, or the owner's own address), 409 `too_many_keepers`. */
  nameSuccessor: endpoint('POST', '/api/memorials/:id/successors', {
    body: successorInput,
    status: 201,
  })<Succession>(),
  /** After how many months without the owner we ask. 404 before anybody is named. */
  changeSuccession: endpoint('PUT', '/api/memorials/:id/successors', {
    body: successionInput,
  })<Succession>(),
  removeSuccessor: endpoint('DELETE', '/api/memorials/:id/successors/:successorId', {
    status: 204,
  })<null>(),
  /** What a named person may claim now. The same answer for everybody else, and for memorials that don't exist. */
  claimable: endpoint('GET', '/api/successions/:id')<Claimable>(),
  /** The same answer for everybody, named or not. */
  askForMemorial: endpoint('POST', '/api/successions/:id/ask')<{ message: string }>(),
  /** The first successor becomes the owner. 404 if there is nothing for them to claim. */
  claimMemorial: endpoint('POST', '/api/successions/:id/claim')<{ memorialId: string }>(),
  rotateInviteLink: endpoint('POST', '/api/memorials/:id/invite-link/rotate')<{ inviteLink: string }>(),
  /** Who used the invitation and what each added. */
  listContributors: endpoint('GET', '/api/memorials/:id/contributors', {
    query: contributorsQuery,
  })<ContributorPage>(),
  /** The links that let people in, the first one (of `inviteLink`) first. */
  listInvitations: endpoint('GET', '/api/memorials/:id/invitations')<{ invitations: Invitation[] }>(),
  /** Makes another link, with a name. 409 `conflict` for too many. */
  addInvitation: endpoint('POST', '/api/memorials/:id/invitations', {
    body: invitationInput,
    status: 201,
  })<{ invitations: Invitation[] }>(),
  /** Ends one of the named links, and the sessions of those who came by it. What they added stays. */
  endInvitation: endpoint('DELETE', '/api/memorials/:id/invitations/:linkId', { status: 204 })<null>(),
  /** Asks the family to be let in. The answer is the same whether there is such a memorial, takes requests, or knows this address. */
  askToBeLetIn: endpoint('POST', '/api/let-in-requests/:id', {
    body: letInRequestInput,
    status: 201,
  })<Message>(),
  /** Lets in somebody who asked, whom we mail a link; or not now, of which nobody is told. 409 `conflict` once decided, and to let in while PRIVATE. */
  decideLetIn: endpoint('PUT', '/api/memorials/:id/let-in-requests/:requestId', {
    body: letInDecisionInput,
    status: 204,
  })<null>(),
  /** Starts the session of whoever was let in, with the token of the mailed link, in place of theirs elsewhere. */
  openLetIn: endpoint('POST', '/api/let-in/:token', { status: 201 })<ContributorSession>(),
  /** 403 `pin_needed` for one with a PIN, until `createContributorSession` got it from this browser. */
  invite: endpoint('GET', '/api/invite/:token')<{ memorial: InviteCard }>(),
  createContributorSession: endpoint('POST', '/api/invite/:token/session', {
    body: contributorSessionInput,
    status: 201,
  })<ContributorSession>(),
  /** The caller's own live session for this memorial, with current quotas. */
  contributorSession: endpoint('GET', '/api/memorials/:id/contributor-session')<
    Omit<ContributorSession, 'authToken'>
  >(),
  /** Mails a question to an address, whether it wants mails about the memorial. The answer is the same for every address. */
  follow: endpoint('POST', '/api/memorials/:id/followers', {
    body: followInput,
    query: inviteQuery,
  })<Message>(),
  /** How many people get mails about the memorial. For those who look after it, and admins. */
  followers: endpoint('GET', '/api/memorials/:id/followers')<FollowerCount>(),
  /** The address to which `askForCode` mails the caller's code. An empty one deletes what was left; either way, nobody asks again. */
  keepAddress: endpoint('PUT', '/api/memorials/:id/contributor-session/address', {
    body: addressInput,
    status: 204,
  })<null>(),
  /**
   * Mails a code of six digits to whoever added something to the memorial of this invitation and left this address. The browser gets a cookie, without
   * which the code is worth nothing. The answer is the same for every address.
   */
  askForCode: endpoint('POST', '/api/invite/:token/code', { body: codeRequestInput })<Message>(),
  /**
   * Lets this browser go on as the contributor whom the code is for; their session elsewhere ends. If several people left the address, it names them:
   * the same call with one of them goes on. 400 `bad_input` for a wrong code, five of which end it.
   */
  useCode: endpoint('POST', '/api/invite/:token/contributor', { body: codeInput })<Recovered>(),

  // Payments
  /** While the caller has a paid payment without a memorial: 409 `already_paid`; with `memorialId`, it pays for that memorial. */
  createPaymentIntent: endpoint('POST', '/api/stripe/create-payment-intent', {
    body: paymentTargetInput,
  })<PaymentIntent>(),
  /** Pays for the caller's memorial with their paid payment that has none; 402 `payment_required` without one. */
  useCredit: endpoint('POST', '/api/memorials/:id/credit', { status: 204 })<null>(),
  stripeWebhook: endpoint('POST', '/api/stripe/webhook')<{ received: true }>(),
  syncPayment: endpoint('POST', '/api/payments/:id/sync')<Payment>(),
  /** Starts a payment on Paynow's page; 503 `paynow_unavailable` where Paynow isn't set up. */
  initPayment: endpoint('POST', '/api/payments/init', { body: paymentTargetInput })<{
    redirectUrl: string
    paymentId: string
  }>(),
  /**
   * Asks a phone to pay. The same request again gets the same payment; another one 409 `conflict` with Retry-After while
   * the first may still succeed. A refused request is a FAILED payment with `local.problem`.
   */
  payByPhone: endpoint('POST', '/api/payments/mobile', { body: mobilePaymentInput })<Payment>(),
  /** Sends the code of O'mari's text message; 400 `bad_input` for a wrong one, of which Paynow allows five. */
  sendPaymentCode: endpoint('POST', '/api/payments/:id/code', { body: paymentCodeInput })<Payment>(),
  /** Paynow posts each change of a payment's status here. */
  paynowResult: endpoint('POST', '/api/paynow/result')<{ received: true }>(),
  userPayments: endpoint('GET', '/api/user/payments')<{ payments: Payment[] }>(),

  // Paying for somebody else
  /** Makes a link by which anybody can pay for the caller's memorial, or for their next one; returns the open one if there is one. */
  askToPay: endpoint('POST', '/api/payments/ask', { body: askToPayInput })<PayLink>(),
  /** The caller's open link for this memorial, or for their next one. */
  payLink: endpoint('GET', '/api/payments/ask', { query: payLinkQuery })<{ link: PayLink | null }>(),
  endPayLink: endpoint('DELETE', '/api/payments/ask/:token', { status: 204 })<null>(),
  /** Mails the family's words to somebody else who paid for the caller, once. */
  thankPayer: endpoint('POST', '/api/payments/:id/thanks', { body: thanksInput })<Message>(),
  /** What anybody with a link sees; with the letter, if the link is a gift's. */
  payLinkView: endpoint('GET', '/api/pay/:token')<PayLinkView>(),
  /** The portrait, if the owner shows it. */
  payLinkPortrait: endpoint('GET', '/media/pay/:token')<never>(),
  /** A picture of a gift's letter for chats, once it is paid. */
  giftCard: endpoint('GET', '/media/gift/:token')<never>(),
  /** As the calls for one's own payments, for people with the link. The payment stays theirs; the account gets the credit. */
  payLinkByCard: endpoint('POST', '/api/pay/:token/card', { body: payerInput })<PaymentIntent>(),
  payLinkByPhone: endpoint('POST', '/api/pay/:token/mobile', { body: payerByPhoneInput })<Payment>(),
  payLinkOnPaynow: endpoint('POST', '/api/pay/:token/paynow', { body: payerInput })<{
    redirectUrl: string
    paymentId: string
  }>(),
  syncLinkPayment: endpoint('POST', '/api/pay/:token/payments/:id/sync')<Payment>(),
  sendLinkPaymentCode: endpoint('POST', '/api/pay/:token/payments/:id/code', {
    body: paymentCodeInput,
  })<Payment>(),
  /** Begins a gift: the token leads to the payment, and then to the letter. */
  createGift: endpoint('POST', '/api/gifts', { body: giftInput, status: 201 })<{ token: string }>(),
  /** What somebody with a gift's code sees before they redeem it. 404 for an unknown one. */
  gift: endpoint('GET', '/api/gifts/:code')<{ gift: Gift }>(),
  /** Gives the caller the gift's payment, to use for their next memorial. 410 if somebody else has it or it has ended. */
  redeemGift: endpoint('POST', '/api/gifts/redeem', { body: redeemInput })<Payment>(),

  // Contact
  contact: endpoint('POST', '/api/contact', { body: contactInput, status: 201 })<Message>(),

  // Admin
  adminMemorials: endpoint('GET', '/api/admin/memorials', { query: adminPageQuery })<AdminMemorialPage>(),
  adminStats: endpoint('GET', '/api/admin/stats')<AdminStats>(),
  adminTokens: endpoint('GET', '/api/admin/tokens')<TokenPool>(),
  generateTokens: endpoint('POST', '/api/admin/tokens', {
    body: generateTokensInput,
    status: 201,
  })<TokenPool>(),
  /** What admins added to the lists of words that hold a visitor's message. */
  adminWords: endpoint('GET', '/api/admin/words')<{ words: WordRule[] }>(),
  saveWord: endpoint('POST', '/api/admin/words', { body: saveWordInput })<{ words: WordRule[] }>(),
  removeWord: endpoint('DELETE', '/api/admin/words/:word')<{ words: WordRule[] }>(),
  /** What waits for an admin, and how much was added on each of the last 90 days. */
  adminOverview: endpoint('GET', '/api/admin/overview')<AdminOverview>(),
  /** The newest 20 events. */
  adminActivity: endpoint('GET', '/api/admin/activity')<{ activity: Activity[] }>(),
  adminPayments: endpoint('GET', '/api/admin/payments', { query: adminPageQuery })<AdminPaymentPage>(),
  /**
   * Refunds the whole amount through Stripe. The payment becomes REFUNDED when Stripe confirms it; then the payer gets a
   * mail with `reason`.
   */
  refundPayment: endpoint('POST', '/api/admin/payments/:id/refund', { body: refundInput })<AdminPayment>(),
  adminMessages: endpoint('GET', '/api/admin/messages', {
    query: contactMessagesQuery,
  })<ContactMessagePage>(),
  /** Notes that somebody has answered a message from the contact form; DELETE takes the note back. */
  answerMessage: endpoint('POST', '/api/admin/messages/:id/answered')<ContactMessage>(),
  unanswerMessage: endpoint('DELETE', '/api/admin/messages/:id/answered')<ContactMessage>(),
  /** Reported items that the family has left for 7 days, last reported first. `keepReported` settles one. */
  adminReports: endpoint('GET', '/api/admin/reports', { query: adminCursorQuery })<AdminReportPage>(),
  /** Memorials whose owners we ask whether they're there, and that successors may claim. */
  adminSuccessions: endpoint('GET', '/api/admin/successions', {
    query: adminCursorQuery,
  })<SuccessionCasePage>(),
  /** No more mails and no claim until it is released. */
  holdSuccession: endpoint('POST', '/api/admin/successions/:id/hold', { status: 204 })<null>(),
  releaseSuccession: endpoint('POST', '/api/admin/successions/:id/release', { status: 204 })<null>(),
  adminMails: endpoint('GET', '/api/admin/mails', { query: adminCursorQuery })<AdminMailPage>(),
  resendMail: endpoint('POST', '/api/admin/mails/:id/resend')<AdminMail>(),
  /** Queue jobs whose every attempt failed. */
  adminDeadJobs: endpoint('GET', '/api/admin/dead-jobs', { query: adminCursorQuery })<AdminDeadJobPage>(),
  resendDeadJob: endpoint('POST', '/api/admin/dead-jobs/:id/resend')<AdminDeadJob>(),
  adminAudit: endpoint('GET', '/api/admin/audit', { query: adminCursorQuery })<AuditPage>(),
  adminSystem: endpoint('GET', '/api/admin/system')<SystemState>(),
  /** Hides it from everybody but admins until one restores it. Its owner gets a mail each time. */
  adminRemoveMemorial: endpoint('POST', '/api/admin/memorials/:id/remove', {
    body: removeMemorialInput,
  })<AdminMemorial>(),
  adminRestoreMemorial: endpoint('POST', '/api/admin/memorials/:id/restore')<AdminMemorial>(),
  suspendAccount: endpoint('POST', '/api/admin/users/:id/suspend')<AdminOwner>(),
  reinstateAccount: endpoint('POST', '/api/admin/users/:id/reinstate')<AdminOwner>(),
  /** What admins did in this memorial, for its owner and keepers. */
  memorialAudit: endpoint('GET', '/api/memorials/:id/audit', { query: adminCursorQuery })<{
    entries: Pick<AuditEntry, 'id' | 'action' | 'targetKind' | 'createdAt'>[]
    nextCursor: string | null
  }>(),

  // Health
  /** Checks every binding. If one fails: 503, and `fields` names it. */
  health: endpoint('GET', '/api/health')<Health>(),
  /** Answers while the Worker runs; touches no binding. */
  healthLive: endpoint('GET', '/api/health/live')<{ isLive: boolean }>(),
  /** Error reports from browsers on our own pages. */
  clientErrors: endpoint('POST', '/api/client-errors', {
    body: clientErrorInput,
    status: 204,
    maxBodyBytes: CLIENT_ERROR_BODY_MAX_BYTES,
  })<null>(),

  /** What the browser must know about this deployment: addresses and public keys, nothing secret. */
  config: endpoint('GET', '/api/config')<{
    stripeJsUrl: string
    stripePublishableKey: string | null
    /** True if this deployment takes mobile money and Zimbabwean banks. */
    hasLocalPayments: boolean
    /** Where to read mail in local development, else null. */
    mailboxUrl: string | null
    /** True if this deployment can serve map images (`locationMap`). */
    hasMapImages: boolean
    /** Where people write for help. */
    supportEmail: string
    /** The public memorial that the landing page shows as an example, else null. */
    exampleSlug: string | null
  }>(),
} as const
